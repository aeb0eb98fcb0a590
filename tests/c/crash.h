/* crash.h - what the programs share in which EDTs crash, each in a copy of the process. */
#ifndef CRASH_H
#define CRASH_H

#include "check.h"

#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void crash_t(ocrEdtDep_t depv[]);

static volatile int zero, result;

static inline void division(ocrEdtDep_t depv[]) {
    (void)depv;
    result = result / zero;
}

static inline void of_null(ocrEdtDep_t depv[]) {
    *(volatile u64 *)depv[1].ptr = 1;
}

static inline int deep(int level) {
    volatile char some[256];
    some[0] = 1;
    return level == result - 1 ? 0 : deep(level + 1) + some[0];
}

static inline void recursion(ocrEdtDep_t depv[]) {
    (void)depv;
    result = deep(0);
}

/* Calls the runtime at each level: a call finds the stack full. It needs more of the stack than a level does. */
static inline int deep_calls(int level) {
    ocrGuid_t block;
    void *start;
    if (ocrDbCreate(&block, &start, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC) == 0)
        ocrDbDestroy(block);
    return level == result - 1 ? 0 : deep_calls(level + 1) + 1;
}

static inline void recursion_of_calls(void) { result = deep_calls(0); }

static inline void fails_assert(ocrEdtDep_t depv[]) {
    assert(depv == NULL);
}

/* A signal that somebody sends ends the process as it would have, and nothing is said. */
static inline void sends_itself(ocrEdtDep_t depv[]) {
    (void)depv;
    raise(SIGSEGV);
}

/* A copy of this process does it and ends by the signal. It says what is in says, and of an EDT
 * (crashes); nothing of a crash if that is NULL. */
static inline void crash(crash_t *how, ocrEdtDep_t depv[], int signal, const char *says) {
    int ends[2], status = 0;
    char text[4096] = "";
    size_t len = 0;
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        how(depv);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; len < sizeof text - 1 && (got = read(ends[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)got;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    const bool crashed = WIFSIGNALED(status) && WTERMSIG(status) == signal;
    const char *first = strstr(text, "crashed with SIG");
    const bool once = first && !strstr(first + 1, "crashed with SIG");
    const bool named = strstr(text, "(crashes) crashed with SIG") || strstr(text, "in no EDT, crashed with SIG");
    const bool right = says ? once && named && strstr(text, says) : !first;
    if (!crashed || !right) {
        fprintf(stderr, "status %x, want signal %d\n%s\nlacks: %s\n", (unsigned)status, signal, text,
                says ? says : "no crash");
        CHECK(!"it crashes so, and the message says it");
    }
}

/* Another process of this program, which finds the number in CRASHES, crashes in no EDT: it ends by the signal, and
 * says once that it has crashed, and what is in says. */
static inline void crash_of_thread(size_t which, int signal, const char *says) {
    static char text[1 << 14];
    char number[24];
    int ends[2], status = 0;
    size_t len = 0;
    CHECK(pipe(ends) == 0);
    snprintf(number, sizeof number, "%zu", which);
    CHECK_EQ(setenv("CRASHES", number, 1), 0);
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        dup2(ends[1], STDERR_FILENO);
        execl("/proc/self/exe", "crashes", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    for (ssize_t got; len < sizeof text - 1 && (got = read(ends[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)got;
    text[len] = 0;
    close(ends[0]);
    CHECK_EQ(waitpid(other, &status, 0), other);
    const char *first = strstr(text, "crashed with SIG");
    const bool once = first != NULL && strstr(first + 1, "crashed with SIG") == NULL;
    const bool right = once && strstr(text, "in no EDT, crashed with SIG") && strstr(text, says);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != signal || !right) {
        fprintf(stderr, "crash %zu: status %x\n%s\nlacks: %s\n", which, (unsigned)status, text, says);
        CHECK(!"it ends by the signal, and the message says why");
    }
}

/* Another process of this program crashes, with all its threads; this one ends well. */
static inline void run_to_crash(void) {
    CHECK_EQ(setenv("CRASHES", "1", 1), 0);
    pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        execl("/proc/self/exe", "crashes", (char *)NULL);
        _exit(1);
    }
    int status;
    CHECK_EQ(waitpid(other, &status, 0), other);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    ocrShutdown();
}

#endif
