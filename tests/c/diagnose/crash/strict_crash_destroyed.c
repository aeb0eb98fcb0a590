// Strict mode: an EDT reads a data block that another one has destroyed, through a pointer that was kept. A process of
// its own crashes, with all its threads.
//
// clause: crash
// env: OCR_CHECK=strict
// stderr: (late) crashed with SIGSEGV at address
// stderr: , byte 16 of the data block
// stderr: , which had 64 bytes and was destroyed
// stderr: Move ocrDbDestroy behind the last use of the pointer
// stderr: destroyed by ocrDbDestroy in EDT
// stderr: (hasty)
// needs: signals
#include "crash.h"

static volatile u64 *kept;

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(kept[2], 0); /* it does not come so far */
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    kept = depv[0].ptr;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    void *address;
    ocrGuid_t block = block_of(64, &address), first, second, output;
    OK(ocrDbRelease(block));
    OK(ocrEdtCreate(&first, template_of(hasty, 0, 1), 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &output));
    OK(ocrEdtCreate(&second, template_of(late, 0, 1), 0, NULL, 1, &output, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrAddDependence(block, first, 0, DB_MODE_RW));
    return NULL_GUID;
}
