// A crash that cannot be undone ends the program as without OCR_RETRY, and the message says why: in the C library, or
// by it, in a call of the runtime, behind a call that cannot be held, or where a block is shared. Each is a process of
// its own, with all its threads.
//
// clause: crash
// env: OCR_RETRY=3
// workers: 1 2
// needs: signals
#include "crash.h"

#include <extensions/ocr-labeling.h>
#include <pthread.h>

/* The allocator takes what stands before it for a size, and finds that this is none. */
static void in_allocator(ocrEdtDep_t depv[]) {
    (void)depv;
    static _Alignas(64) char zeros[128];
    char *volatile not_of_malloc = zeros + 64;
    free(not_of_malloc);
}

/* The allocator finds by an assertion of its own that the size of what is left of its memory was overwritten. */
static void in_assertion_of_allocator(ocrEdtDep_t depv[]) {
    (void)depv;
    char *volatile last = malloc(100000);
    memset(last + 100000, 0, 64);
    for (int i = 0; i < 100; i++)
        last = malloc(110000);
}

static void *sends(void *worker) {
    CHECK(pthread_kill(*(pthread_t *)worker, SIGABRT) == 0);
    return NULL;
}

static void sent_by_another(ocrEdtDep_t depv[]) {
    (void)depv;
    pthread_t own = pthread_self(), other;
    CHECK(pthread_create(&other, NULL, sends, &own) == 0);
    for (volatile int i = 0;; i++)
        ;
}

static void in_printf(ocrEdtDep_t depv[]) {
    (void)depv;
    const char *volatile text = (const char *)8;
    printf("%s\n", text);
}

static void in_held_printf(ocrEdtDep_t depv[]) {
    (void)depv;
    const char *volatile text = (const char *)8;
    ocrPrintf("%s\n", text);
}

static void in_call(ocrEdtDep_t depv[]) {
    (void)depv;
    ocrGuid_t *volatile place = (ocrGuid_t *)8;
    ocrPrintf("what was held\n");
    ocrEventCreate(place, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
}

static void behind_call(ocrEdtDep_t depv[]) {
    ocrGuid_t map;
    OK(ocrGuidRangeCreate(&map, 4, GUID_USER_EVENT_STICKY));
    depv[1].ptr = NULL;
    of_null(depv);
}

static void behind_refused(ocrEdtDep_t depv[]) {
    REFUSED(OCR_EINVAL, ocrEventSatisfy(depv[0].guid, NULL_GUID));
    depv[1].ptr = NULL;
    of_null(depv);
}

static void ends_itself(ocrEdtDep_t depv[]) {
    ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrGuid_t edt = spawn(end_edt, 0, NULL, 1, NULL);
    (void)ocrAddDependence(event, edt, 0, DB_MODE_NULL);
    depv[1].ptr = NULL;
    of_null(depv);
}

static const struct {
    crash_t *does;
    int signal;
    const char *says;
} crashes[] = {
    {in_allocator, SIGABRT, "does not run again, as the C library itself has ended the program"},
    {in_assertion_of_allocator, SIGABRT, "does not run again, as the C library itself has ended the program"},
    {sent_by_another, SIGABRT, "does not run again, as another thread has sent the signal"},
    {in_printf, SIGSEGV, "does not run again, as it crashed in a library, or in what a library has called"},
    {in_held_printf, SIGSEGV, "does not run again, as it crashed in a library, or in what a library has called"},
    {in_call, SIGSEGV, "does not run again, as it crashed in a call of the runtime"},
    {behind_call, SIGSEGV, "does not run again, as it had called ocrGuidRangeCreate"},
    {behind_refused, SIGSEGV, "does not run again, as it had called ocrEventSatisfy"},
    {ends_itself, SIGSEGV, "does not run again, as it had called ocrAddDependence"},
};
#define CRASHES (sizeof crashes / sizeof *crashes)

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    crashes[paramv[0]].does(depv);
    CHECK(!"it crashes");
    return NULL_GUID;
}

/* Another process of this program crashes so. It says that once, and why the EDT does not run again. */
static void crash_of_edt(size_t which) {
    static char text[1 << 14];
    char number[24];
    int tells[2], status = 0;
    size_t len = 0;
    CHECK(pipe(tells) == 0);
    snprintf(number, sizeof number, "%zu", which);
    CHECK_EQ(setenv("CRASHES", number, 1), 0);
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        dup2(tells[1], STDERR_FILENO);
        dup2(tells[1], STDOUT_FILENO);
        execl("/proc/self/exe", "crashes", (char *)NULL);
        _exit(1);
    }
    close(tells[1]);
    for (ssize_t got; len < sizeof text - 1 && (got = read(tells[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)got;
    text[len] = 0;
    close(tells[0]);
    CHECK_EQ(waitpid(other, &status, 0), other);
    const char *first = strstr(text, ") crashed with SIG");
    const bool once = first != NULL && strstr(first + 4, "crashed with SIG") == NULL;
    const bool by_signal = WIFSIGNALED(status) && WTERMSIG(status) == crashes[which].signal;
    const bool is_printed = crashes[which].does != in_call || strstr(text, "what was held\n") != NULL;
    if (!by_signal || !once || !is_printed || !strstr(text, crashes[which].says)) {
        fprintf(stderr, "crash %zu: status %x\n%s\nlacks: %s\n", which, (unsigned)status, text, crashes[which].says);
        CHECK(!"it ends by the signal, and the message says why");
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const char *which = getenv("CRASHES");
    if (which == NULL) {
        for (size_t at = 0; at < CRASHES; at++)
            crash_of_edt(at);
        ocrShutdown();
        return NULL_GUID;
    }
    u64 number = strtoul(which, NULL, 10);
    ocrGuid_t all[2] = {block_with(1), block_with(2)};
    spawn(ends, 1, &number, 2, all);
    return NULL_GUID;
}
