/* A program ignores SIGFPE, as it is sent, and kernels are built and run, for which OpenCL has a handler: who sends the
 * signal in the run ends nothing, and after it the program ignores it as before. */
// clause: process ocr-variants.h
// needs: opencl
// needs: signals
#include "kernel.h"

#include <extensions/ocr-legacy.h>
#include <signal.h>

static void run(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, output, ended, result;
    void *words;
    u64 size;
    ocrLegacyInit(&context, &config);
    ended = event_of(OCR_EVENT_STICKY_T);
    const ocrGuid_t kernel = kernel_of("kernel void k(global uint *x) { x[0] = 7; }\n", "k", 0, 1);
    const ocrGuid_t edt = kernel_edt(kernel, 1, 0, NULL, 1, &output);
    link_to(output, ended, 0, DB_MODE_NULL);
    link_to(words_block(1, 5, 0), edt, 0, DB_MODE_EW);
    OK(ocrLegacyBlockProgress(ended, &result, &words, &size, LEGACY_PROP_NONE));
    CHECK_EQ(raise(SIGFPE), 0);
    ocrShutdown();
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
}

int main(void) {
    CHECK(signal(SIGFPE, SIG_IGN) != SIG_ERR);
    for (int i = 0; i < 2; i++) {
        struct sigaction now;
        run();
        CHECK_EQ(sigaction(SIGFPE, NULL, &now), 0);
        CHECK(now.sa_handler == SIG_IGN);
        CHECK_EQ(raise(SIGFPE), 0);
    }
    return 0;
}
