/* Strict mode: an EDT writes to a block that it holds in mode RO, and releases it itself. */
// misuse: OCR-2.5.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written while EDT 0x
// stderr:  held it in mode DB_MODE_RO
// stderr: (reader)

#include "strict.h"

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((char *)depv[0].ptr)[7] = 'x';
    ocrDbRelease(depv[0].guid);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    link_to(block_with(1), EDT(reader, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    return NULL_GUID;
}
