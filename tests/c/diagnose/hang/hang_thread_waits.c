// A program hangs, too, if its own threads wait indefinitely for each other, as idle ones of a pool do, or for a signal
// of which there is no handler.
//
// clause: hang
// status: nonzero
// stderr: the program hangs: every thread of the process waits for another one to wake it
// stderr: threads of the program or of a library wait outside of the runtime: thread
// stderr: (late)
// needs: halt
#include "check.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait_for_work(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&changed, &mutex);
    return unused;
}

static void *wait_for_end(void *other)
{
    pthread_join(*(pthread_t *)other, NULL);
    return NULL;
}

#if defined(__x86_64__)
static void *wait_for_signal(void *unused)
{
    for (;;)
        pause();
    return unused;
}
#endif

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static pthread_t waiting, joining;
    CHECK_EQ(pthread_create(&waiting, NULL, wait_for_work, NULL), 0);
    CHECK_EQ(pthread_create(&joining, NULL, wait_for_end, &waiting), 0);
#if defined(__x86_64__)
    pthread_t pausing;
    CHECK_EQ(pthread_create(&pausing, NULL, wait_for_signal, NULL), 0);
#endif
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    spawn(late, 0, NULL, 1, &event);
    return NULL_GUID;
}
