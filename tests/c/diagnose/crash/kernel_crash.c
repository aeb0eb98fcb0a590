// An EDT crashes in a process that uses a device (kernel_crash.h). Strict mode names the EDT, whatever happens.
//
// clause: crash ocr-variants.h
// revisions: plain strict
// needs: opencl
// needs: signals
#include "kernel_crash.h"

static void aborts(ocrEdtDep_t depv[]) {
    (void)depv;
    abort();
}

static void gets_abort(ocrEdtDep_t depv[]) {
    (void)depv;
    kill(getpid(), SIGABRT);
}

static void crash_all(ocrEdtDep_t depv[]) {
#if defined(__x86_64__)
    crash(division, depv, SIGFPE, "an integer was divided by zero");
#endif
    if (!is_strict())
        return;
    crash(of_null, depv, SIGSEGV, "close to a null pointer");
    crash(recursion, depv, SIGSEGV, "its stack is full");
    crash(aborts, depv, SIGABRT, "it called abort()");
    crash(gets_abort, depv, SIGABRT, NULL);
}

int main(void) {
    run_kernel_and_crash(false);
    run_kernel_and_crash(false);
    return 0;
}
