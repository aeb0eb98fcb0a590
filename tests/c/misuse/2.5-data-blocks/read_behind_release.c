/*
 * Strict mode: an EDT reads a data block, which it has created, after it has released it. No other EDT has the block,
 * so its pages are closed then, and the read ends the program.
 */
// misuse: OCR-2.5.3-g
// env: OCR_CHECK=strict
// needs: signals
// status: 1
// stderr: strict mode: a data block was read after ocrDbRelease, or by an EDT that does not hold it
// stderr: (late), which read byte 8 of the data block 0x
// stderr: of 24 bytes; the instruction is
// stderr: Move ocrDbRelease behind the last use of the pointer
// stderr: created by ocrDbCreate in EDT 0x
// stderr-without: crashed

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
    EDT(late, 0, NULL, 0, NULL);
    return NULL_GUID;
}
