/* Strict mode: a data block is written beyond its end through a pointer that was kept; no EDT uses it again. */
// misuse: OCR-2.5.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block of 8 bytes was written beyond its end, at byte 9, after EDT 0x
// stderr: (mainEdt) was done with it
// stderr: seen at the end of the program
// stderr: created by ocrDbCreate in EDT
// stderr: or that has kept a pointer

#include "strict.h"

static char *kept;

static ocrGuid_t later(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    kept[9] = 1;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    OK(ocrDbRelease(block_of(8, &addr)));
    kept = addr;
    EDT(later, 0, NULL, 0, NULL);
    return NULL_GUID;
}
