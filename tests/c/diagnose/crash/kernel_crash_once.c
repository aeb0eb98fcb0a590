// The program has a handler of SIGFPE for once, which says something and returns: the program ends then.
//
// clause: crash ocr-variants.h
// needs: opencl
// needs: signals
#include "kernel_crash.h"

static void says(int signal) {
    static const char text[] = "the program's handler\n";
    CHECK_EQ(signal, SIGFPE);
    CHECK_EQ(write(STDERR_FILENO, text, sizeof text - 1), sizeof text - 1);
}

static void crash_all(ocrEdtDep_t depv[]) {
#if defined(__x86_64__)
    crash(division, depv, SIGFPE, NULL);
#endif
}

int main(void) {
    const struct sigaction own = {.sa_handler = says, .sa_flags = (int)SA_RESETHAND};
    OK(sigaction(SIGFPE, &own, NULL));
    run_kernel_and_crash(false);
    return 0;
}
