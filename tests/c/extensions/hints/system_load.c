/*
 * ocrSystemLoadGet (OCR-Vx): all workers have something to do while each runs an EDT, one of them has while the others
 * have none, and none has while a thread outside asks and there is no work.
 */
// clause: ocr-hints.h
#include "check.h"

#include <extensions/ocr-hints.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>

static int ended;

static ocrGuid_t spins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
        sched_yield();
    return NULL_GUID;
}

static void wait_for_load(double load) {
    while (ocrSystemLoadGet() != load)
        sched_yield();
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const u64 workers = ocrNbWorkers();
    CHECK(ocrSystemLoadGet() > 0 && ocrSystemLoadGet() <= 1);
    for (u64 i = 1; i < workers; i++)
        spawn(spins, 0, NULL, 0, NULL);
    wait_for_load(1);
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
    wait_for_load(1.0 / (double)workers);
    return NULL_GUID;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, handle, slots[] = {NULL_GUID};
    ocrParseArgs(argc, (const char **)argv, &config);
    CHECK(ocrSystemLoadGet() == 0);
    ocrLegacyInit(&context, &config);
    OK(ocrLegacySpawnOCR(&handle, template_of(asks, 0, 1), 0, NULL, 1, slots, context));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    wait_for_load(0);
    return ocrLegacyFinalize(context, false);
}
