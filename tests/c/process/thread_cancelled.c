/* A thread that is cancelled in its first call of the runtime ends when that has returned. */
// clause: process
#include "check.h"
#include <extensions/ocr-legacy.h>
#include <pthread.h>
#include <unistd.h>

static void *calls(void *arg) {
    ocrGuid_t event;
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    for (;;)
        pause();
    return arg;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

int main(void) {
    ocrGuid_t context;
    ocrConfig_t config = {0};
    ocrLegacyInit(&context, &config);
    for (u64 thread = 0; thread < scaled(200); thread++) {
        pthread_t started;
        void *left;
        CHECK(pthread_create(&started, NULL, calls, NULL) == 0);
        for (volatile u64 at = 0; at < thread * 1000; at++)
            ;
        CHECK(pthread_cancel(started) == 0);
        CHECK(pthread_join(started, &left) == 0 && left == PTHREAD_CANCELED);
    }
    spawn(ends, 0, NULL, 0, NULL);
    CHECK(ocrLegacyFinalize(context, true) == 0);
    return 0;
}
