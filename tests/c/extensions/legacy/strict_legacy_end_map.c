// Strict mode: main ends the run while a thread is in the function of a map of labeled GUIDs, which waits for main:
// that function is the program's, and the end of the run does not wait for it.
//
// clause: ocr-legacy.h
// env: OCR_CHECK=strict
// stdout: it has ended
#include "check.h"

#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool inside, ended;
static ocrGuid_t map;

static ocrGuid_t waits(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)skip, (void)params, (void)tuple;
    atomic_store(&inside, true);
    while (!atomic_load(&ended))
        usleep(100);
    return start;
}

static void *asks(void *unused) {
    ocrGuid_t label;
    s64 tuple = 0;
    ocrGuidFromLabel(&label, map, &tuple);
    return unused;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context;
    pthread_t thread;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    OK(ocrGuidMapCreate(&map, 0, waits, NULL, 10, GUID_USER_EVENT_ONCE));
    CHECK_EQ(pthread_create(&thread, NULL, asks, NULL), 0);
    while (!atomic_load(&inside))
        usleep(100);
    CHECK_EQ(ocrLegacyFinalize(context, false), 0);
    puts("it has ended");
    atomic_store(&ended, true);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return 0;
}
