// Strict mode: an EDT writes farther and farther beyond a data block, until pages stop it that no thread can touch. The
// message names the creator of the block, and its size. A process of its own crashes, with all its threads.
//
// clause: crash
// env: OCR_CHECK=strict
// stderr: (runs_on) crashed with SIGSEGV at address
// stderr: bytes behind the end of the data block
// stderr: on its pre-slot 0, which has 80 bytes: an EDT uses a data block within its size, which counts bytes
// stderr: (OCR 1.1.0, 2.5.1)
// stderr: "row" (80 bytes):
// stderr: created by ocrDbCreate in EDT
// needs: signals
#include "crash.h"

#include <extensions/ocr-debug.h>

static ocrGuid_t runs_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    volatile u64 *numbers = depv[0].ptr;
    for (u64 i = 0;; i++)
        numbers[i] = i;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    void *address;
    ocrGuid_t block = block_of(10 * sizeof(u64), &address);
    OK(ocrAttachDebugLabel(block, "row", 0, NULL));
    OK(ocrDbRelease(block));
    spawn(runs_on, 0, NULL, 1, &block);
    return NULL_GUID;
}
