/*
 * An event that main waits for and an EDT that ends the run are satisfied by one call of another thread:
 * main gets its answer all the same, run after run.
 */
// clause: ocr-legacy.h
#include "check.h"
#include <extensions/ocr-legacy.h>
#include <pthread.h>

static void *satisfies(void *event) {
    OK(ocrEventSatisfy(*(ocrGuid_t *)event, NULL_GUID));
    return NULL;
}

int main(int argc, const char *argv[]) {
    ocrConfig_t config;
    ocrParseArgs(argc, argv, &config);
    for (u64 run = 0; run < scaled(2000) / 10; run++) {
        ocrGuid_t context, event;
        pthread_t id;
        ocrLegacyInit(&context, &config);
        event = event_of(OCR_EVENT_STICKY_T);
        spawn(end_edt, 0, NULL, 1, &event);
        OK(pthread_create(&id, NULL, satisfies, &event));
        OK(ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE));
        OK(pthread_join(id, NULL));
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    }
    return 0;
}
