// An EDT that crashes in strict mode: who it was, and what the address looks like. Each crash is in a copy of
// the process, which runs nothing but this EDT.
//
// env: OCR_CHECK=strict
// needs: signals
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 20 };

static volatile int zero, result;

static void of_null(ocrEdtDep_t depv[]) {
    *(volatile u64 *)depv[1].ptr = 1;
}

/* What lies behind the block there is lost, which is no harm: the process ends. */
static void beyond(ocrEdtDep_t depv[]) {
    const uintptr_t page = 4096, end = (uintptr_t)depv[0].ptr + SIZE;
    char *behind = (char *)((end + 2 * page) / page * page);
    CHECK(mmap(behind, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == behind);
    *(volatile char *)behind = 1;
}

/* As a pointer that was read from a block which is gone. */
static void of_pattern(ocrEdtDep_t depv[]) {
    (void)depv;
    char *wild;
    memset(&wild, 0xdb, sizeof wild);
    *(volatile char *)wild = 1;
}

#if defined(__x86_64__)
static void division(ocrEdtDep_t depv[]) {
    (void)depv;
    result = result / zero;
}
#endif

/* A signal that somebody sends ends the process as it would have, and nothing is said. */
static void sent(ocrEdtDep_t depv[]) {
    (void)depv;
    fprintf(stderr, "(crashes) crashed with SIG... is said by nobody else");
    raise(SIGSEGV);
}

/* What a copy of this process says when it crashes. */
static void crash(void (*how)(ocrEdtDep_t[]), ocrEdtDep_t depv[], int signal, const char *says) {
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
    if (!crashed || strstr(text, "(crashes) crashed with SIG") == NULL || strstr(text, says) == NULL) {
        fprintf(stderr, "%s\nlacks: %s\n", text, says);
        CHECK(!"the message says it");
    }
}

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    crash(of_null, depv, SIGSEGV, "at address 0x0, close to a null pointer. If it is that of a pre-slot: depv[i].ptr is NULL where");
    crash(beyond, depv, SIGSEGV, "on its pre-slot 0, which has 1048576 bytes");
    crash(sent, depv, SIGSEGV, "said by nobody else");
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
