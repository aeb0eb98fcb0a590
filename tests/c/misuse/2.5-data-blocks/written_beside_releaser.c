/* Strict mode: an EDT writes a block that it does not hold, while the one that has released it still runs: both are
 * named. */
// misuse: OCR-2.5.3-f
// env: OCR_CHECK=strict
// status: 1
// workers: 2 8
// stderr: a data block was written after ocrDbRelease, by the EDT that had released it or by one that ran meanwhile: EDT 0x
// stderr: (culprit)
// stderr: seen at the end of EDT 0x
// stderr: (mainEdt)
// stderr: Otherwise look for an EDT that keeps a pointer to the block
#include "strict.h"

static u64 *kept;
static int written;

static ocrGuid_t culprit(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    *kept = 7;
    __atomic_store_n(&written, 1, __ATOMIC_SEQ_CST);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_of(sizeof(u64), (void **)&kept);
    *kept = 1;
    OK(ocrDbRelease(block));
    EDT(culprit, 0, NULL, 0, NULL);
    while (!__atomic_load_n(&written, __ATOMIC_SEQ_CST))
        sched_yield();
    return NULL_GUID;
}
