// An EDT ends the run while a thread of the program is in the middle of satisfying an event, on which at the end of a
// long chain the event depends that main waits for: main gets the answer, for the call was made before the end.
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>

enum { LINKS = 2000000, EDTS = 100, THE_LAST = 90 };

static ocrGuid_t first;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static void *satisfies(void *unused) {
    ocrEventSatisfy(first, NULL_GUID);
    return unused;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, edt;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    first = event_of(OCR_EVENT_ONCE_T);
    const ocrGuid_t awaited = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t next = awaited;
    for (int i = 0; i < (int)scaled(LINKS); i++) {
        const ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
        OK(ocrAddDependence(event, next, 0, DB_MODE_NULL));
        next = event;
    }
    /* What has waited longest comes last: the chain behind the EDTs. */
    OK(ocrAddDependence(first, next, 0, DB_MODE_NULL));
    for (int i = 0; i < EDTS; i++)
        OK(ocrEdtCreate(&edt, template_of(i == THE_LAST ? ends : nothing, 0, 1), 0, NULL, 1, &first, EDT_PROP_NONE,
                        NULL_HINT, NULL));
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, satisfies, NULL), 0);
    CHECK_EQ(ocrLegacyBlockProgress(awaited, NULL, NULL, NULL, LEGACY_PROP_NONE), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    return 0;
}
