// A handler of the program's with SA_ONSTACK has as much stack as it would have without the runtime. So it is in
// threads that never call the runtime, in threads that have called it and have none of the runtime's then, and in
// EDTs. A thread that has set a stack of its own keeps that in calls and behind them, and threads leave no memory
// behind.
//
// clause: process
// needs: signals
// workers: 1 2
#include "check.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>

enum { AT_ONCE = 20, NEEDED = 1 << 20 };

static volatile size_t used;
static char *own;
static volatile bool is_on_own;

static void handle(int signal) {
    volatile char many[NEEDED];
    (void)signal;
    for (size_t at = 0; at < sizeof many; at += 1024)
        many[at] = 1;
    used += (size_t)many[NEEDED / 2];
}

static void look(int signal) {
    char here;
    (void)signal;
    is_on_own = &here >= own && &here < own + SIGSTKSZ;
}

static bool has_one(void) {
    stack_t now;
    CHECK_EQ(sigaltstack(NULL, &now), 0);
    return (now.ss_flags & SS_DISABLE) == 0;
}

static void needs_much(void) {
    const size_t before = used;
    CHECK_EQ(raise(SIGUSR2), 0);
    CHECK_EQ(used, before + 1);
}

static void calls(void) {
    ocrGuid_t block;
    void *start;
    CHECK_EQ(ocrDbCreate(&block, &start, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    CHECK_EQ(ocrDbDestroy(block), 0);
}

static void *never_calls(void *unused) {
    CHECK(!has_one());
    needs_much();
    return unused;
}

static void *has_called(void *unused) {
    calls();
    CHECK(!has_one());
    needs_much();
    return unused;
}

/* So little that each call is lent a stack. */
static void *has_little(void *unused) {
    for (int i = 0; i < 3; i++) {
        calls();
        CHECK(!has_one());
    }
    return unused;
}

static void *has_own(void *unused) {
    const stack_t other = {.ss_sp = own, .ss_size = (size_t)SIGSTKSZ};
    stack_t now;
    calls();
    CHECK_EQ(sigaltstack(&other, NULL), 0);
    calls();
    CHECK_EQ(sigaltstack(NULL, &now), 0);
    CHECK(now.ss_sp == own && now.ss_flags == 0);
    is_on_own = false;
    CHECK_EQ(raise(SIGURG), 0);
    CHECK(is_on_own);
    return unused;
}

static void in_thread(void *(*does)(void *), size_t bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK_EQ(pthread_attr_init(&attributes), 0);
    if (bytes != 0)
        CHECK_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    CHECK_EQ(pthread_create(&thread, &attributes, does, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(pthread_attr_destroy(&attributes), 0);
}

static u64 mappings(void) {
    char line[8192];
    u64 count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        count++;
    fclose(file);
    return count;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const struct sigaction much = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    const struct sigaction where = {.sa_handler = look, .sa_flags = SA_ONSTACK};
    CHECK_EQ(sigaction(SIGUSR2, &much, NULL), 0);
    CHECK_EQ(sigaction(SIGURG, &where, NULL), 0);
    CHECK(has_one());
    needs_much();
    in_thread(never_calls, 0);
    in_thread(has_called, 0);
    own = malloc((size_t)SIGSTKSZ);
    CHECK(own != NULL);
    in_thread(has_own, 0);
    // The memory is still the program's.
    memset(own, 1, (size_t)SIGSTKSZ);
    free(own);
    in_thread(has_little, 65536);
    const u64 before = mappings();
    for (u64 i = 0; i < scaled(2000); i++)
        in_thread(has_little, 65536);
    // One that stays of a hundred threads would be more.
    CHECK(mappings() <= before + 20);
    ocrShutdown();
    return NULL_GUID;
}
