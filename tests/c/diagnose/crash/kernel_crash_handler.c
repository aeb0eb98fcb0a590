// The program has a handler of SIGFPE: it gets what an EDT does, and the kernel goes on all the same.
//
// clause: crash ocr-variants.h
// env: OCR_CHECK=strict
// needs: opencl
// needs: signals
#include "kernel_crash.h"

static void handles(int signal, siginfo_t *info, void *context) {
    CHECK(context != NULL);
    if (signal == SIGFPE && info->si_code == FPE_INTDIV)
        _exit(42);
    _exit(1);
}

/* A copy of this process ends as the handler ends it. */
static void crash_all(ocrEdtDep_t depv[]) {
#if defined(__x86_64__)
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        division(depv);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 42);
#endif
}

int main(void) {
    const struct sigaction own = {.sa_sigaction = handles, .sa_flags = SA_SIGINFO};
    OK(sigaction(SIGFPE, &own, NULL));
    run_kernel_and_crash(false);
    run_kernel_and_crash(false);
    return 0;
}
