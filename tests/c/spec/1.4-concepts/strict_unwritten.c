/* Strict mode: what no EDT has written yet is not zeros, so that the EDT that uses it sees it. */
// clause: 1.4.4
// env: OCR_CHECK=strict
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const unsigned char *bytes;
    ocrGuid_t block = block_of(100, (void **)&bytes);
    for (int at = 0; at < 100; at++)
        CHECK_EQ(bytes[at], 0xa5);
    OK(ocrDbDestroy(block));
    ocrShutdown();
    return NULL_GUID;
}
