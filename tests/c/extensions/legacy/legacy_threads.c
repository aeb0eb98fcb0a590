/*
 * Threads of a program with its own main: several wait at a time while others satisfy; one keeps its
 * context over several runs, and belongs to the new run each time.
 */
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>

#define THREADS 8
#define ROUNDS 5

static ocrGuid_t events[THREADS];
static pthread_barrier_t barrier;

/* Waits for its own event, with the number of the round, and satisfies the next thread's. */
static void *ring(void *argument) {
    u64 me = (u64)argument;
    for (u64 round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier); /* the run has begun */
        void *result;
        ocrGuid_t guid;
        OK(ocrLegacyBlockProgress(events[me], &guid, &result, NULL, LEGACY_PROP_NONE));
        CHECK_EQ(*(u64 *)result, 1000 * round + me);
        if (me + 1 < THREADS)
            OK(ocrEventSatisfy(events[me + 1], block_with(1000 * round + me + 1)));
        pthread_barrier_wait(&barrier); /* the run is to end */
        pthread_barrier_wait(&barrier); /* it has ended */
        CHECK_EQ(ocrEventSatisfy(events[me], NULL_GUID), OCR_EPERM);
        pthread_barrier_wait(&barrier); /* the next one may begin */
    }
    return NULL;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context;
    pthread_t ids[THREADS];
    ocrParseArgs(argc, (const char **)argv, &config);
    OK(pthread_barrier_init(&barrier, NULL, THREADS + 1));
    for (u64 n = 0; n < THREADS; n++)
        OK(pthread_create(&ids[n], NULL, ring, (void *)n));
    for (u64 round = 0; round < ROUNDS; round++) {
        ocrLegacyInit(&context, &config);
        for (int n = 0; n < THREADS; n++)
            events[n] = event_of(OCR_EVENT_STICKY_T);
        pthread_barrier_wait(&barrier);
        spawn(nothing, 0, NULL, 0, NULL);
        OK(ocrEventSatisfy(events[0], block_with(1000 * round)));
        OK(ocrLegacyBlockProgress(events[THREADS - 1], NULL, NULL, NULL, LEGACY_PROP_NONE));
        pthread_barrier_wait(&barrier);
        ocrShutdown();
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    for (int n = 0; n < THREADS; n++)
        OK(pthread_join(ids[n], NULL));
    return 0;
}
