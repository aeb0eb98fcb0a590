/*
 * Programs that take long and do not hang are not accused: an EDT that sleeps, one that waits for an EDT
 * that sleeps, a thread of the program that satisfies an event much later while main waits for that.
 */
// clause: hang
// workers: 1 2
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>

static ocrGuid_t sleeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    usleep((useconds_t)paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t handle, slot;
    OK(ocrLegacySpawnOCR(&handle, template_of(sleeps, 1, 1), 1, paramv, 1, &slot, NULL_GUID));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    usleep((useconds_t)paramv[0]);
    return NULL_GUID;
}

static void *satisfies(void *event) {
    usleep(2200000);
    OK(ocrEventSatisfy(*(ocrGuid_t *)event, NULL_GUID));
    return NULL;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, handle, slot, event;
    u64 pause = 300000;
    pthread_t id;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    OK(ocrLegacySpawnOCR(&handle, template_of(waits, 1, 1), 1, &pause, 1, &slot, context));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    /* No thread runs an EDT, but main may still act. The threads are looked at once a second then. */
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(end_edt, 0, NULL, 1, &event);
    usleep(2200000);
    OK(pthread_create(&id, NULL, satisfies, &event));
    OK(ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE));
    OK(pthread_join(id, NULL));
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    return 0;
}
