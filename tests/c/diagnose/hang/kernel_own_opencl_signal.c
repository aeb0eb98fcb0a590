/*
 * A program that has asked OpenCL for its devices itself, before the run and within it, is asked by SIGUSR1: it
 * answers. LLVM has installed a handler for that, which does nothing.
 */
// clause: hang
// needs: opencl
// needs: signals
// workers: 2
// stderr: (mainEdt)
// stderr: 1 running, 0 ready
#include "own_opencl.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

static int before = -1;

static void __attribute__((constructor)) ask_before(void) { ask_opencl(); }

static off_t written(void) {
    struct stat found;
    return fstat(before, &found) == 0 ? found.st_size : 0;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    /* What is said goes to a file until it is there, and then to where it belongs. */
    FILE *file = tmpfile();
    const int standard = dup(STDERR_FILENO);
    CHECK(file != NULL && standard >= 0);
    before = fileno(file);
    /* Only a file that is appended to counts as one for messages, within a run. */
    CHECK(fcntl(before, F_SETFL, O_APPEND) == 0);
    CHECK(dup2(before, STDERR_FILENO) >= 0);
    ask_opencl();
    /* The thread that watches takes the signal back, which takes it some seconds where OpenCL was asked within the run.
     */
    while (written() == 0) {
        kill(getpid(), SIGUSR1);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    CHECK(dup2(standard, STDERR_FILENO) >= 0);
    char text[4096];
    rewind(file);
    for (size_t bytes; (bytes = fread(text, 1, sizeof text, file)) != 0;) {
        fwrite(text, 1, bytes, stderr);
    }
    ocrShutdown();
    return NULL_GUID;
}
