/* Strict mode: an EDT writes to a data block that it has destroyed, and that had no pages of its own, since there are
 * more blocks than get some: that is seen when it ends. */
// misuse: OCR-2.5.2-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written after ocrDbDestroy
// stderr: (hasty)
// stderr: destroyed by ocrDbDestroy in EDT
// stderr: Move ocrDbDestroy behind the last use

#include "strict.h"

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    OK(ocrDbDestroy(depv[0].guid));
    *(u64 *)depv[0].ptr = 3;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < 16 << 10; i++)
        block_with(0);
    link_to(block_with(1), EDT(hasty, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
