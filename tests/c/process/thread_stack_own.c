// A thread that never called the runtime sets a stack of its own for signals. It keeps that when it calls the runtime, and
// when it ends that memory stays the program's. A thread that sets none keeps in calls the one that it began with.
//
// clause: process
// needs: signals
#include "check.h"

#include <extensions/ocr-runtime-itf.h>
#include <pthread.h>
#include <signal.h>

static char *own;
static bool handled;

static void handle(int signal) {
    char here;
    (void)signal;
    handled = &here >= own && &here < own + SIGSTKSZ;
}

static void *sets_one(void *unused) {
    const stack_t other = {.ss_sp = own, .ss_size = (size_t)SIGSTKSZ};
    stack_t before, now;
    CHECK_EQ(sigaltstack(&other, &before), 0);
    CHECK((before.ss_flags & SS_DISABLE) == 0);
    CHECK(ocrNbWorkers() > 0);
    CHECK_EQ(sigaltstack(NULL, &now), 0);
    CHECK(now.ss_sp == own && now.ss_flags == 0);
    CHECK_EQ(pthread_kill(pthread_self(), SIGUSR2), 0);
    CHECK(handled);
    // The one that it began with is there as long as the thread.
    memset(before.ss_sp, 1, before.ss_size);
    return unused;
}

static void *sets_none(void *unused) {
    stack_t before, now;
    CHECK_EQ(sigaltstack(NULL, &before), 0);
    CHECK((before.ss_flags & SS_DISABLE) == 0);
    CHECK(ocrNbWorkers() > 0);
    CHECK_EQ(sigaltstack(NULL, &now), 0);
    CHECK(now.ss_sp == before.ss_sp && now.ss_size == before.ss_size);
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    own = malloc((size_t)SIGSTKSZ);
    CHECK(own != NULL);
    CHECK_EQ(sigaction(SIGUSR2, &action, NULL), 0);
    CHECK_EQ(pthread_create(&thread, NULL, sets_one, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    memset(own, 1, (size_t)SIGSTKSZ);
    free(own);
    CHECK_EQ(pthread_create(&thread, NULL, sets_none, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    ocrShutdown();
    return NULL_GUID;
}
