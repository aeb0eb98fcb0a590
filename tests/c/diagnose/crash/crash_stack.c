// What is said of a thread of the program, in no EDT, whose stack is full in a call of the runtime: there it is lent
// another stack to tell that on. A process of its own crashes, with all its threads.
//
// clause: crash
// once: an EDT changes the environment of the process
// stderr: a thread of the program, in no EDT, crashed with SIGSEGV at address
// stderr: : its stack is full. Put large arrays on the heap
// stderr: pthread_attr_setstacksize gives a thread more
// needs: signals
#include "crash.h"

#include <pthread.h>

static void *calls_and_recurses(void *unused) {
    recursion_of_calls();
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, calls_and_recurses, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return NULL_GUID;
}
