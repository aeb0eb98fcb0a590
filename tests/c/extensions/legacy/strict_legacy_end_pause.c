// Strict mode: main ends the run while threads pause it and resume it, and wait for each other's pauses: no message
// says that one has not paused.
//
// clause: ocr-legacy.h
// env: OCR_CHECK=strict
// stdout: it has ended
// stderr-without: strict mode: ocrResume
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <pthread.h>

enum { RUNS = 20, THREADS = 4, PAUSES = 50 };

static void *pauses(void *unused) {
    for (int i = 0; i < PAUSES; i++) {
        const u32 paused = ocrPause(true);
        if (paused) {
            usleep(200);
            ocrResume(paused);
        }
    }
    return unused;
}

int main(int argc, char **argv) {
    for (int run = 0; run < RUNS; run++) {
        ocrConfig_t config;
        ocrGuid_t context;
        pthread_t threads[THREADS];
        ocrParseArgs(argc, (const char **)argv, &config);
        ocrLegacyInit(&context, &config);
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(pthread_create(&threads[i], NULL, pauses, NULL), 0);
        usleep(2000 + (useconds_t)run * 300);
        CHECK_EQ(ocrLegacyFinalize(context, false), 0);
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    puts("it has ended");
    return 0;
}
