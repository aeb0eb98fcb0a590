/*
 * Strict mode: an EDT reads a data block, which it has created, after it has released it. Nobody else has the block, so its
 * pages are closed then, and the EDT crashes there: another process does, with all its threads.
 */
// clause: 2.5.3
// env: OCR_CHECK=strict
// needs: signals
// stderr: (late) crashed with SIGSEGV at address 0x
// stderr: , byte 8 of the data block 0x
// stderr: , which has 24 bytes and was released: an EDT that has released a data block, or never held it, does not read it
// stderr: Move ocrDbRelease behind the last use of the pointer
// stderr: created by ocrDbCreate in EDT 0x

#include "crash.h"
#include "strict.h"

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(3 * sizeof(u64), &addr);
    volatile u64 *numbers = addr;
    numbers[1] = 7;
    CHECK_EQ(numbers[1], 7);
    OK(ocrDbRelease(block));
    ocrPrintf("%lu\n", (unsigned long)numbers[1]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    EDT(late, 0, NULL, 0, NULL);
    return NULL_GUID;
}
