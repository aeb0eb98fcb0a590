// Many threads that never call the runtime begin and end: by return, by pthread_exit, cancelled, and detached. Each has a stack
// for signals while it runs, and the memory of that goes with it.
//
// clause: process
// needs: signals
// workers: 2
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

enum { AT_ONCE = 20, KINDS = 4 };

static sem_t has_ended, never;
static char result_of[AT_ONCE];

static void check_stack(void) {
    stack_t signals;
    CHECK_EQ(sigaltstack(NULL, &signals), 0);
    CHECK((signals.ss_flags & SS_DISABLE) == 0);
    CHECK(signals.ss_size >= (size_t)MINSIGSTKSZ);
}

static void *returns(void *argument) {
    check_stack();
    return argument;
}

static void *exits(void *argument) {
    check_stack();
    pthread_exit(argument);
}

static void *is_cancelled(void *unused) {
    check_stack();
    for (;;)
        sem_wait(&never);
    return unused;
}

static void *is_detached(void *unused) {
    check_stack();
    CHECK_EQ(sem_post(&has_ended), 0);
    return unused;
}

static void in_threads(u64 count) {
    static void *(*const does[KINDS])(void *) = {returns, exits, is_cancelled, is_detached};
    for (u64 i = 0; i < count; i += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (int at = 0; at < AT_ONCE; at++)
            CHECK_EQ(pthread_create(&threads[at], NULL, does[at % KINDS], &result_of[at]), 0);
        for (int at = 0; at < AT_ONCE; at++) {
            void *result;
            if (does[at % KINDS] == is_detached) {
                CHECK_EQ(pthread_detach(threads[at]), 0);
                while (sem_wait(&has_ended) != 0)
                    ;
                continue;
            }
            if (does[at % KINDS] == is_cancelled)
                CHECK_EQ(pthread_cancel(threads[at]), 0);
            CHECK_EQ(pthread_join(threads[at], &result), 0);
            CHECK(result == (does[at % KINDS] == is_cancelled ? PTHREAD_CANCELED : &result_of[at]));
        }
    }
}

/* How many threads the process has, and how many mappings. */
static u64 lines(const char *name, const char *begin) {
    char line[8192];
    u64 count = 0;
    FILE *file = fopen(name, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (begin == NULL)
            count++;
        else if (strncmp(line, begin, strlen(begin)) == 0)
            count = strtoull(line + strlen(begin), NULL, 10);
    }
    fclose(file);
    return count;
}

static u64 threads(void) { return lines("/proc/self/status", "Threads:"); }

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(sem_init(&has_ended, 0, 0) == 0 && sem_init(&never, 0, 0) == 0);
    const u64 at_first = threads();
    in_threads(1000);
    while (threads() > at_first)
        breathe();
    const u64 mappings = lines("/proc/self/maps", NULL), kib = resident_kib();
    in_threads(scaled(20000));
    // Those that are detached may still be about to end.
    while (threads() > at_first)
        breathe();
    // One mapping that stays of a hundred threads would be two hundred.
    const u64 now = lines("/proc/self/maps", NULL);
    if (now > mappings + 100) {
        fprintf(stderr, "%llu mappings, and %llu before\n", (unsigned long long)now, (unsigned long long)mappings);
        CHECK(!"the stacks go with their threads");
    }
    CHECK(grown_less(kib, 4096));
    ocrShutdown();
    return NULL_GUID;
}
