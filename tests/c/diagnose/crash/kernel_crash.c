// clause: crash ocr-variants.h
// needs: opencl
// needs: signals
#include "kernel_crash.h"

static void crash_all(ocrEdtDep_t depv[]) {
#if defined(__x86_64__)
    crash(division, depv, SIGFPE, "an integer was divided by zero");
#endif
}

int main(void) {
    run_kernel_and_crash(false);
    run_kernel_and_crash(false);
    return 0;
}
