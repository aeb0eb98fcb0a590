/* Strict mode: an EDT returns a block that it has destroyed, and somebody waits for it. */
// misuse: OCR-2.7-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT returned data block 0x
// stderr: which is gone
// stderr: (hasty)
// stderr: destroyed by ocrDbDestroy in EDT

#include "strict.h"

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(3);
    OK(ocrDbDestroy(block));
    return block;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = EDT_WITH(hasty, 0, NULL, 1, &hold, &done);
    link_to(done, END(1), 0, DB_MODE_RO);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
