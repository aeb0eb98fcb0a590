/* Strict mode: an EDT writes to a data block that it holds in mode CONST. */
// misuse: OCR-2.5.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written while EDT 0x
// stderr:  held it in mode DB_MODE_CONST, through pre-slot
// stderr: seen when EDT 0x
// stderr: (reader)
// stderr: created by ocrDbCreate in EDT
// stderr: OCR 1.1.0, 1.4.4
// stderr: DB_MODE_EW
// stderr: pre-slot 0 connected to data block 0x

#include "strict.h"

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    link_to(block_with(1), EDT(reader, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
    return NULL_GUID;
}
