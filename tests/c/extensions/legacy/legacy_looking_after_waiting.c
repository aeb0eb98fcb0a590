/*
 * An EDT that has waited in a call and then waits by ocrInformLegacyCodeBlocking: what it looks for is done by an
 * EDT, which needs a worker.
 */
// clause: ocr-legacy.h
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>
#include <stdatomic.h>

static atomic_int raised;

static ocrGuid_t raises(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_fetch_add(&raised, 1);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int n = 0; n < 50; n++) {
        ocrGuid_t handle, slot;
        OK(ocrLegacySpawnOCR(&handle, template_of(raises, 0, 1), 0, NULL, 1, &slot, NULL_GUID));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
        CHECK_EQ(atomic_load(&raised), 2 * n + 1);
        breathe(); /* whoever has made room for it has done so */
        spawn(raises, 0, NULL, 0, NULL);
        while (atomic_load(&raised) != 2 * n + 2)
            OK(ocrInformLegacyCodeBlocking());
    }
    ocrShutdown();
    return NULL_GUID;
}
