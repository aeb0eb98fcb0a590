// What is said of threads of the program that crash, in no EDT, each in a process of its own: the thread, the signal,
// and what the address looks like. A thread that has not called the runtime is reported, too. A full stack is reported
// where the thread is in a call of the runtime, or has set another stack for signals. The process ends by the signal.
//
// clause: crash
// needs: signals
// workers: 1 2
#include "crash.h"

#include <pthread.h>

static ocrEdtDep_t nothing[2];

static void *is_null(void *unused) {
    of_null(nothing);
    return unused;
}

static void *is_no_function(void *unused) {
    void (*volatile function)(void) = NULL;
    function();
    return unused;
}

static void *divides(void *unused) {
    division(nothing);
    return unused;
}

static void *aborts(void *unused) {
    abort();
    return unused;
}

static void *is_named(void *unused) {
    pthread_setname_np(pthread_self(), "reader");
    of_null(nothing);
    return unused;
}

static void *recurses_with_calls(void *unused) {
    recursion_of_calls();
    return unused;
}

static void *recurses_with_stack(void *unused) {
    const stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    CHECK(other.ss_sp != NULL && sigaltstack(&other, NULL) == 0);
    recursion(NULL);
    return unused;
}

static const struct {
    void *(*does)(void *);
    int signal;
    const char *says;
} crashes[] = {
    {is_null, SIGSEGV,
     "a thread of the program, in no EDT, crashed with SIGSEGV at address 0x0, close to a null pointer"},
    {is_no_function, SIGSEGV,
     "in no EDT, crashed with SIGSEGV at address 0x0: it called a function by a pointer that is null"},
    {divides, SIGFPE, "in no EDT, crashed with SIGFPE: an integer was divided by zero"},
    {aborts, SIGABRT, "in no EDT, crashed with SIGABRT: it called abort()"},
    {is_named, SIGSEGV, "thread \"reader\", in no EDT, crashed with SIGSEGV at address 0x0, close to a null pointer"},
    {recurses_with_calls, SIGSEGV, ": its stack is full. Put large arrays on the heap"},
    {recurses_with_stack, SIGSEGV, ": its stack is full. Put large arrays on the heap"},
};

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const char *which = getenv("CRASHES");
    if (which == NULL) {
        for (size_t at = 0; at < sizeof crashes / sizeof *crashes; at++)
            crash_of_thread(at, crashes[at].signal, crashes[at].says);
        ocrShutdown();
        return NULL_GUID;
    }
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, crashes[strtoul(which, NULL, 10)].does, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return NULL_GUID;
}
