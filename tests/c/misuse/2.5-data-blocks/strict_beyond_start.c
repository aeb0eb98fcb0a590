/* Strict mode: an EDT writes before the start of a data block that it has created. */
// misuse: OCR-2.5.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block of 8 bytes was written before its start, at byte -1, while EDT 0x
// stderr: (mainEdt) held it in mode DB_MODE_RW
// stderr: created by ocrDbCreate in EDT
// stderr: an index, or a pointer, that goes below

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(8, &addr);
    ((char *)addr)[-1] = 0;
    OK(ocrDbDestroy(block));
    ocrShutdown();
    return NULL_GUID;
}
