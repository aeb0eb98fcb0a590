// What is said of threads whose stack is full and that have not called the runtime: pthread_create has given each another one
// for signals when it began. One is started before main, one is detached, one has little stack, and one has an array that is
// larger than the stack. A process of its own crashes for each.
//
// clause: crash
// needs: signals
// workers: 1 2
#include "crash.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

enum { BEFORE_MAIN, JOINED, DETACHED, SMALL, ARRAY, KINDS };

static sem_t is_time;

static void *recurses(void *unused) {
    recursion(NULL);
    return unused;
}

/* Touched from its end, where the stack begins: the stack pointer is far from there. */
static void *has_array(void *unused) {
    volatile char array[1 << 20];
    for (size_t at = sizeof array; at > 0; at--)
        array[at - 1] = 1;
    return unused;
}

static void *waits_and_recurses(void *unused) {
    while (sem_wait(&is_time) != 0)
        ;
    return recurses(unused);
}

static int kind(void) {
    const char *which = getenv("CRASHES");
    return which == NULL ? KINDS : atoi(which);
}

__attribute__((constructor)) static void begin_before_main(void) {
    pthread_t thread;
    if (kind() != BEFORE_MAIN)
        return;
    if (sem_init(&is_time, 0, 0) != 0 || pthread_create(&thread, NULL, waits_and_recurses, NULL) != 0)
        abort();
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    pthread_attr_t attributes;
    pthread_t thread;
    const int which = kind();
    if (which == KINDS) {
        for (int at = 0; at < KINDS; at++)
            crash_of_thread((size_t)at, SIGSEGV, ": its stack is full. Put large arrays on the heap");
        ocrShutdown();
        return NULL_GUID;
    }
    CHECK_EQ(pthread_attr_init(&attributes), 0);
    if (which == DETACHED)
        CHECK_EQ(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED), 0);
    if (which == SMALL)
        CHECK_EQ(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
    if (which == ARRAY)
        CHECK_EQ(pthread_attr_setstacksize(&attributes, 1 << 18), 0);
    if (which == BEFORE_MAIN)
        CHECK_EQ(sem_post(&is_time), 0);
    else
        CHECK_EQ(pthread_create(&thread, &attributes, which == ARRAY ? has_array : recurses, NULL), 0);
    for (;;)
        pause();
}
