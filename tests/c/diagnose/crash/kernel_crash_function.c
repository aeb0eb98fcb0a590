// As kernel_crash.c where OpenCL was only asked, and the kernel runs as a C function.
//
// clause: crash ocr-variants.h
// env: OCR_DEVICES=gpu
// env: OCR_SCHED=cpu
// needs: opencl
// needs: signals
#include "kernel_crash.h"

static void crash_all(ocrEdtDep_t depv[]) {
#if defined(__x86_64__)
    crash(division, depv, SIGFPE, "an integer was divided by zero");
#endif
}

int main(void) {
    run_kernel_and_crash(true);
    run_kernel_and_crash(true);
    return 0;
}
