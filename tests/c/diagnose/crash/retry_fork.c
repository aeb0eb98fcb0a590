// A process that an EDT forks and that crashes is undone by nobody: it ends by the signal, and the EDT runs once, where
// it has begun. What is printed before a call that ends the program is written (OCR_RETRY).
//
// clause: crash
// env: OCR_RETRY=3
// stdout: the EDT has run once
// stderr-without: attempt
// needs: signals
#include "crash.h"

#include <sys/mman.h>

/* How often the EDT has begun, and how often it has come to its end, in all processes. */
static volatile int *counts;

static ocrGuid_t forks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    int status = 0;
    counts[0]++;
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        of_null((ocrEdtDep_t[2]){{.ptr = NULL}, {.ptr = NULL}});
    }
    CHECK_EQ(waitpid(other, &status, 0), other);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    counts[1]++;
    CHECK_EQ(counts[0], 1);
    CHECK_EQ(counts[1], 1);
    ocrPrintf("the EDT has run once\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(counts != MAP_FAILED);
    spawn(forks, 0, NULL, 0, NULL);
    return NULL_GUID;
}
