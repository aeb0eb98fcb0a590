// What is said where a signal handler of the program needs more than the stack that it runs on: the handler is named
// and what it lacks, and not the EDT that it has interrupted. So it is on the runtime's alternative stack and on one
// of the program's. A process of its own crashes for each.
//
// clause: crash
// needs: signals
// workers: 1 2
#include "crash.h"

#include <sys/mman.h>

enum { RUNTIMES, OWN, KINDS };

static int kind(void) {
    const char *which = getenv("CRASHES");
    return which == NULL ? KINDS : atoi(which);
}

static void handle(int signal) {
    (void)signal;
    recursion(NULL);
}

static void crashes_in(int which, const char *says) {
    static char text[1 << 14];
    char number[24];
    int ends[2], status = 0;
    size_t len = 0;
    CHECK(pipe(ends) == 0);
    snprintf(number, sizeof number, "%d", which);
    CHECK_EQ(setenv("CRASHES", number, 1), 0);
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        dup2(ends[1], STDERR_FILENO);
        execl("/proc/self/exe", "crashes", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    for (ssize_t got; len < sizeof text - 1 && (got = read(ends[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)got;
    text[len] = 0;
    close(ends[0]);
    CHECK_EQ(waitpid(other, &status, 0), other);
    const bool named = strstr(text, "a signal handler of the program crashed with SIGSEGV at address") != NULL;
    const bool blamed = strstr(text, "(crashes) crashed with") != NULL;
    const bool right =
        named && !blamed && strstr(text, says) && strstr(text, "(crashes)") && strstr(text, "sigaltstack");
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV || !right) {
        fprintf(stderr, "crash %d: status %x\n%s\nlacks: %s\n", which, (unsigned)status, text, says);
        CHECK(!"it ends by the signal, and the message names the handler");
    }
}

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (kind() == OWN) {
        /* Its lowest pages are a guard, as the runtime's has one. */
        const size_t guard = 1 << 16, bytes = 1 << 20;
        char *memory = mmap(NULL, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(memory != MAP_FAILED);
        CHECK_EQ(mprotect(memory, guard, PROT_NONE), 0);
        const stack_t own = {.ss_sp = memory + guard, .ss_size = bytes};
        CHECK_EQ(sigaltstack(&own, NULL), 0);
    }
    raise(SIGUSR2);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (kind() == KINDS) {
        crashes_in(RUNTIMES, "is full. It has 8192 KiB here");
        crashes_in(OWN, "is full. It has 1024 KiB here");
        ocrShutdown();
        return NULL_GUID;
    }
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    CHECK_EQ(sigaction(SIGUSR2, &action, NULL), 0);
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, crashes, 0, 0);
    ocrEdtCreate(&edt, template, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
