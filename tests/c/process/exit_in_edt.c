/*
 * An EDT that calls exit ends the process with that status; the reports that were asked for are written at the end,
 * also if the process has forked before. The functions of atexit run.
 */
// clause: process
// once: an EDT ends the process
// needs: signals
// status: 3
// env: OCR_STATS=1
// stdout-lines: 1 at exit
// stderr: EDTs as functions
// stderr-without: note
#include "check.h"

#include <sys/wait.h>

static void looks(void) { puts("at exit"); }

static ocrGuid_t quits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        /* The child has the calling thread alone, and none of a run: it ends as if there were no runtime. */
        CHECK(freopen("/dev/null", "w", stdout) != NULL);
        exit(5);
    }
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 5);
    exit(3);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atexit(looks), 0);
    spawn(quits, 0, NULL, 0, NULL);
    return NULL_GUID;
}
