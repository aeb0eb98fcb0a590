/*
 * A thread of the program that ends while it has paused the runtime takes the pause with it, with a warning.
 */
// clause: ocr-pause.h
// stderr: ocr: warning: a thread that had paused the runtime (ocrPause) has ended without ocrResume, and so the pause ends
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <pthread.h>

static void *pauses(void *unused) {
    CHECK_EQ(ocrPause(true), 1);
    return unused;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context;
    pthread_t id;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    OK(pthread_create(&id, NULL, pauses, NULL));
    OK(pthread_join(id, NULL));
    CHECK_EQ(ocrPause(true), 1); /* no other thread has */
    ocrResume(1);
    spawn(end_edt, 0, NULL, 1, (ocrGuid_t[]){NULL_GUID});
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    return 0;
}
