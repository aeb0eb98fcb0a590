// An EDT that crashes in strict mode: who it was, and what the address looks like. Each crash is in a copy of
// the process, which runs nothing but this EDT.
//
// clause: crash
// env: OCR_CHECK=strict
// needs: signals
#include "crash.h"

#include <pthread.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20, STACK = 16 << 20 };

/* What lies behind the block there is lost, which is no harm: the process ends. */
static void beyond(ocrEdtDep_t depv[]) {
    const uintptr_t page = 4096, end = (uintptr_t)depv[0].ptr + SIZE;
    char *behind = (char *)((end + 2 * page) / page * page);
    CHECK(mmap(behind, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == behind);
    *(volatile char *)behind = 1;
}

/* Strict mode has closed the block's pages when mainEdt released it, and opened them for this EDT. It is not strict
 * mode that has closed this one. */
static void closed_by_itself(ocrEdtDep_t depv[]) {
    const uintptr_t page = 4096;
    char *within = (char *)(((uintptr_t)depv[0].ptr + SIZE / 2) / page * page);
    CHECK(mmap(within, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == within);
    *(volatile char *)within = 1;
}

/* As with a size that was counted in elements where bytes were meant: what the runtime would tell of it with stays. */
static void far_beyond(ocrEdtDep_t depv[]) {
    memset(depv[0].ptr, 1, 8 * SIZE);
}

static void before_own(ocrEdtDep_t depv[]) {
    (void)depv;
    void *address;
    block_of(100, &address);
    for (volatile char *at = address;; at--)
        *at = 1;
}

static void *wild_thread(void *unused) {
    *(volatile int *)unused = 1;
    return NULL;
}

static void in_thread(ocrEdtDep_t depv[]) {
    (void)depv;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wild_thread, NULL) == 0);
    pthread_join(thread, NULL);
}

/* As a pointer that was read from a block which no EDT has written. */
static void of_new(ocrEdtDep_t depv[]) {
    (void)depv;
    void *address;
    block_of(64, &address);
    **(volatile char **)address = 1;
}

/* As a pointer that was read from a block which is gone. */
static void of_pattern(ocrEdtDep_t depv[]) {
    (void)depv;
    char *wild;
    memset(&wild, 0xdb, sizeof wild);
    *(volatile char *)wild = 1;
}

/* An array that is larger than the stack: what is touched first lies far below its guard. The thread's stack for
 * signals may lie there, too, and stays as it is. */
static void large_array(ocrEdtDep_t depv[]) {
    volatile char large[2 * STACK];
    const uintptr_t page = 4096;
    uintptr_t start = (uintptr_t)large / page * page + page;
    stack_t signals;
    (void)depv;
    CHECK(sigaltstack(NULL, &signals) == 0);
    const uintptr_t first = (uintptr_t)signals.ss_sp, end = first + signals.ss_size;
    if (first < start + page && start < end)
        start = (end + page - 1) / page * page;
    CHECK(mmap((void *)start, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)start);
    *(volatile char *)start = 1;
}

/* The guard of the stack is no place below the stack pointer here. */
static void guard(ocrEdtDep_t depv[]) {
    pthread_attr_t attributes;
    void *start;
    size_t size;
    (void)depv;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    CHECK(pthread_attr_getstack(&attributes, &start, &size) == 0);
    ((volatile char *)start)[-1] = 1;
}

static void aborts(ocrEdtDep_t depv[]) {
    (void)depv;
    abort();
}

static void fails_ocr_assert(ocrEdtDep_t depv[]) {
    ocrAssert(depv == NULL);
}

static void gets_abort(ocrEdtDep_t depv[]) {
    (void)depv;
    const pid_t here = getpid();
    if (fork() == 0) {
        kill(here, SIGABRT);
        _exit(0);
    }
    for (;;)
        pause();
}

static void gets_own_abort(ocrEdtDep_t depv[]) {
    (void)depv;
    kill(getpid(), SIGABRT);
}

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    crash(of_null, depv, SIGSEGV, "at address 0x0, close to a null pointer. depv[i].ptr is NULL where");
    crash(of_null, depv, SIGSEGV, "here for i = 1");
    crash(closed_by_itself, depv, SIGSEGV, "crashed with SIGSEGV");
    crash(far_beyond, depv, SIGSEGV, "behind the end of the data block");
    crash(far_beyond, depv, SIGSEGV, "on its pre-slot 0, which has 1048576 bytes");
    crash(before_own, depv, SIGSEGV, "before the start of the data block");
    crash(in_thread, depv, SIGSEGV, "in no EDT, crashed with SIGSEGV at address 0x0");
    crash(of_new, depv, SIGSEGV, "new data blocks");
    crash(beyond, depv, SIGSEGV, "on its pre-slot 0, which has 1048576 bytes");
    crash(recursion, depv, SIGSEGV, "its stack is full. EDTs have 16 MiB");
    crash(aborts, depv, SIGABRT, "crashed with SIGABRT: it called abort()");
    crash(fails_assert, depv, SIGABRT, "crashed with SIGABRT");
    crash(fails_ocr_assert, depv, SIGABRT, "crashed with SIGABRT");
    crash(sends_itself, depv, SIGSEGV, NULL);
    crash(gets_abort, depv, SIGABRT, NULL);
    crash(gets_own_abort, depv, SIGABRT, NULL);
#if defined(__x86_64__) || defined(__aarch64__)
    crash(large_array, depv, SIGSEGV, "its stack is full");
    crash(guard, depv, SIGSEGV, "fff");
#endif
#if defined(__x86_64__)
    crash(of_pattern, depv, SIGSEGV, "with bytes 0xdb");
    crash(division, depv, SIGFPE, "divided by zero");
#endif
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, tmpl, slots[2];
    void *ptr;
    OK(ocrDbCreate(&block, &ptr, SIZE, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    OK(ocrDbRelease(block));
    slots[0] = block, slots[1] = NULL_GUID;
    OK(ocrEdtTemplateCreate(&tmpl, crashes, 0, 2));
    OK(ocrEdtCreate(NULL, tmpl, 0, NULL, 2, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
