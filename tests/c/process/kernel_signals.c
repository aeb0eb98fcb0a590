/*
 * Kernels are built and run, for which OpenCL installs handlers: each signal does what it did before, be that what the
 * system does, nothing, or a handler of the program. When the run has ended that is so of SIGFPE, too, and so it is of
 * a second run.
 */
// clause: process ocr-variants.h
// needs: opencl
// needs: signals
#include "kernel.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static const int usual[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR2, SIGPIPE, SIGQUIT, SIGSYS, SIGXCPU, SIGXFSZ};
static void (*before[65])(int);

static void own(int signal) { (void)signal; }

static void (*handler_of(int signal))(int) {
    struct sigaction now;
    CHECK_EQ(sigaction(signal, NULL, &now), 0);
    return now.sa_handler;
}

static void check_usual(const char *when) {
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (handler_of(usual[i]) != before[usual[i]]) {
            fprintf(stderr, "%s: signal %d\n", when, usual[i]);
            CHECK(!"it does what it did before OpenCL came");
        }
    }
}

static void *divides(void *zero) {
    *(volatile int *)zero = 7 / *(volatile int *)zero;
    return NULL;
}

/* A thread of the program divides by zero, and the process ends by that. */
static void division_ends(bool by_thread) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        static int zero;
        pthread_t thread;
        if (by_thread && pthread_create(&thread, NULL, divides, &zero) == 0)
            pthread_join(thread, NULL);
        divides(&zero);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGFPE);
}

static int run(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, output, ended, result;
    void *words;
    u64 size;
    ocrLegacyInit(&context, &config);
    ended = event_of(OCR_EVENT_STICKY_T);
    // What a kernel divides by zero has any value.
    const ocrGuid_t kernel = kernel_of("kernel void k(global int *x) { x[1] = x[0] / x[1]; x[0] = 7; }\n", "k", 0, 1);
    const ocrGuid_t edt = kernel_edt(kernel, 1, 0, NULL, 1, &output);
    link_to(output, ended, 0, DB_MODE_NULL);
    link_to(words_block(2, 5, -5u), edt, 0, DB_MODE_EW);
    OK(ocrLegacyBlockProgress(ended, &result, &words, &size, LEGACY_PROP_NONE));
    check_usual("while the run goes on");
    division_ends(false);
    division_ends(true);
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}

int main(void) {
    CHECK(signal(SIGTERM, own) != SIG_ERR);
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    for (int signal = 1; signal < 32; signal++) {
        if (signal != SIGKILL && signal != SIGSTOP)
            before[signal] = handler_of(signal);
    }
    for (int i = 0; i < 2; i++) {
        OK(run());
        check_usual("after the run");
        CHECK(handler_of(SIGFPE) == SIG_DFL);
        CHECK(handler_of(SIGILL) == SIG_DFL && handler_of(SIGABRT) == SIG_DFL && handler_of(SIGTRAP) == SIG_DFL);
        division_ends(false);
    }
    return 0;
}
