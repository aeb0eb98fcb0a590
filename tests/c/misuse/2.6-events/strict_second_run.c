// Strict mode stays on in a second run in the same process, also when a thread of the program that has called the
// runtime in the first calls it again.
//
// misuse: OCR-2.6.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: a sticky event was destroyed twice
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>

static pthread_barrier_t turn;

static void wait_for_turn(void) {
    pthread_barrier_wait(&turn);
}

static void *calls_in_both(void *unused) {
    for (int run = 0; run < 2; run++) {
        wait_for_turn();
        OK(ocrEventDestroy(event_of(OCR_EVENT_STICKY_T)));
        wait_for_turn();
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    CHECK_EQ(pthread_barrier_init(&turn, NULL, 2), 0);
    CHECK_EQ(pthread_create(&thread, NULL, calls_in_both, NULL), 0);
    for (int run = 0; run < 2; run++) {
        ocrConfig_t config;
        ocrGuid_t context;
        ocrParseArgs(argc, (const char **)argv, &config);
        ocrLegacyInit(&context, &config);
        wait_for_turn();
        wait_for_turn();
        if (run == 1) {
            const ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
            OK(ocrEventDestroy(event));
            ocrEventDestroy(event);
            fputs("it went on\n", stderr);
            _exit(0);
        }
        CHECK_EQ(ocrLegacyFinalize(context, false), 0);
    }
    return 0;
}
