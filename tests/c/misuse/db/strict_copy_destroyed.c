/* Strict mode: the destination of a copy is destroyed before the copy has been made. */
// misuse: OCR-db-h
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: data block 0x
// stderr: the destination of ocrDbCopy, is gone
// stderr: destroyed by ocrDbDestroy in EDT
// stderr: behind the completion event
#include "strict.h"

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t from = block_with(1), to, copied, edt = EDT(ends, 0, NULL, 1, NULL);
    void *place;
    /* Until this EDT ends, it has the block, and the copy waits. */
    OK(ocrDbCreate(&to, &place, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    OK(ocrDbCopy(to, 0, from, 0, sizeof(u64), 0, &copied));
    link_to(copied, edt, 0, DB_MODE_RO);
    OK(ocrDbDestroy(to));
    return NULL_GUID;
}
