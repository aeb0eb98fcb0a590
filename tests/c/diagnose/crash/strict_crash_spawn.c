// What strict mode says of an EDT of ocrLegacySpawnOCR that crashed since it took the first pre-slot, which that call
// keeps, for one of its own. A process of its own crashes, with all its threads.
//
// clause: crash
// env: OCR_CHECK=strict
// stderr: (uses) crashed with SIGSEGV at address 0x0, close to a null pointer
// stderr: here for i = 0
// stderr: created by ocrLegacySpawnOCR in EDT
// stderr: pre-slot 0 is the runtime's: ocrLegacySpawnOCR overwrites depv[0]
// needs: signals
#include "crash.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(volatile u64 *)depv[0].ptr = 1;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    void *address;
    ocrGuid_t handle, slots[] = {block_of(64, &address)};
    OK(ocrDbRelease(slots[0]));
    OK(ocrLegacySpawnOCR(&handle, template_of(uses, 0, 1), 0, NULL, 1, slots, NULL_GUID));
    return NULL_GUID;
}
