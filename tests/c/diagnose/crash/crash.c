// What is said of an EDT that crashes, without strict mode. Each crash is in a copy of the process, which runs
// nothing but this EDT.
//
// clause: crash
// needs: signals
#include "crash.h"

static void no_function(ocrEdtDep_t depv[]) {
    void (*volatile function)(void) = NULL;
    (void)depv;
    function();
}

#if defined(__x86_64__)
enum { TRAP = SIGILL };
#else
enum { TRAP = SIGTRAP };
#endif

static void trap(ocrEdtDep_t depv[]) {
    (void)depv;
    __builtin_trap();
}

#if defined(__x86_64__)
static void breakpoint(ocrEdtDep_t depv[]) {
    (void)depv;
    __asm__("int3");
}
#endif

static void own_handler(int signal) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    CHECK_EQ(sigaction(signal, &usual, NULL), 0);
}

static void with_own_handler(ocrEdtDep_t depv[]) {
    struct sigaction own = {.sa_handler = own_handler};
    CHECK_EQ(sigaction(SIGSEGV, &own, NULL), 0);
    of_null(depv);
}

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    crash(of_null, depv, SIGSEGV, "close to a null pointer. depv[i].ptr is NULL where");
    crash(of_null, depv, SIGSEGV, "here for i = 1. If");
    crash(of_null, depv, SIGSEGV, "OCR_CHECK=strict shows who created the EDT");
    crash(no_function, depv, SIGSEGV, "at address 0x0: it called a function by a pointer that is null");
    crash(trap, depv, TRAP, "it came to an instruction that is none");
#if defined(__x86_64__)
    crash(breakpoint, depv, SIGTRAP, "crashed with SIGTRAP");
#endif
    crash(recursion, depv, SIGSEGV, "its stack is full. EDTs have 16 MiB");
    crash(fails_assert, depv, SIGABRT, "crashed with SIGABRT: it called abort()");
    crash(sends_itself, depv, SIGSEGV, NULL);
    crash(with_own_handler, depv, SIGSEGV, NULL);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t sources[2] = {block_of(64, &address), NULL_GUID};
    OK(ocrDbRelease(sources[0]));
    ocrGuid_t template, edt;
    OK(ocrEdtTemplateCreate(&template, crashes, 0, 2));
    OK(ocrEdtCreate(&edt, template, 0, NULL, 2, sources, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
