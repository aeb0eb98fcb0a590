/* Strict mode: an EDT writes a data block that it has released, and destroys it then. With more workers mainEdt may
 * still run, and be named as one that may have written it. */
// misuse: OCR-2.5.3-d
// env: OCR_CHECK=strict
// workers: 1
// status: 1
// stderr: strict mode: a data block was written after ocrDbRelease
// stderr: (writes)
// stderr: Move ocrDbRelease behind the last write
#include "strict.h"

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 *volatile number = depv[0].ptr;
    OK(ocrDbRelease(depv[0].guid));
    *number = 2;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    link_to(block, spawn(writes, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
