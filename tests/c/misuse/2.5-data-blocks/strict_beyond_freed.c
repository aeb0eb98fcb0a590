/* Strict mode: a data block is written beyond its end through a pointer that was kept, and destroyed by others. */
// misuse: OCR-2.5.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block of 8 bytes was written beyond its end, at byte 135, after EDT 0x
// stderr: (mainEdt) was done with it
// stderr: seen when the data block was freed
// stderr: destroyed by ocrDbDestroy in EDT

#include "strict.h"

static char *kept;

static ocrGuid_t later(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    kept[135] = 1;
    OK(ocrDbDestroy(*(ocrGuid_t *)paramv));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(8, &addr);
    OK(ocrDbRelease(block));
    kept = addr;
    EDT(later, 1, (u64 *)&block, 0, NULL);
    return NULL_GUID;
}
