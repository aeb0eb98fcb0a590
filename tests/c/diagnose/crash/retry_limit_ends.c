// An EDT that is beyond its time limit and cannot run again ends the program with status 1, and the message says why:
// without OCR_RETRY, where all attempts were beyond it, where the EDT has OCR_HINT_EDT_RETRY 0, behind a call that
// cannot be held, where it waits in the C library without end, and behind ocrShutdown. Each is a process of its own,
// with all its threads. What it has printed by ocrPrintf before is there.
//
// clause: crash ocr-hints.h
// workers: 1 2
// needs: signals
#include "crash.h"

#include <extensions/ocr-labeling.h>

static void __attribute__((noinline)) spins(void) {
    for (volatile u64 i = 0;; i++)
        ;
}

static void spins_behind_call(void) {
    ocrGuid_t map;
    OK(ocrGuidRangeCreate(&map, 4, GUID_USER_EVENT_STICKY));
    spins();
}

/* The end of the program waits for this EDT. */
static void spins_behind_shutdown(void) {
    ocrShutdown();
    spins();
}

/* Nobody writes. That is no hang for the runtime, as a lock would be. */
static void reads(void) {
    int ends_of_pipe[2];
    char byte;
    CHECK(pipe(ends_of_pipe) == 0);
    CHECK(read(ends_of_pipe[0], &byte, 1) == 1);
}

#define BEYOND ") was beyond its time limit of 1 s (OCR_TIME_LIMIT)."

static const struct {
    void (*does)(void);
    const char *retry, *says, *without;
    int hint;
} ends[] = {
    {spins, "off", "  the instruction is in spins", "OCR_RETRY", -1},
    {spins, "1", "OCR_RETRY: the EDT does not run again, as this was attempt 2 of 2, and all", "attempt 3", -1},
    {spins, "1", "  the instruction is in spins", "OCR_RETRY", 0},
    {spins_behind_call, "1", "does not run again, as it had called ocrGuidRangeCreate", "attempt 2", -1},
    {reads, "1", "does not run again, as it was in a library, or in what a library has called", "attempt 2", -1},
    {reads, "off", BEYOND, "OCR_RETRY", -1},
    {spins_behind_shutdown, "off", "  the instruction is in spins", "OCR_RETRY", -1},
};
#define ENDS (sizeof ends / sizeof *ends)

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrPrintf("printed before\n");
    ends[paramv[0]].does();
    CHECK(!"it does not end");
    return NULL_GUID;
}

/* Another process of this program ends so. */
static void end_of_edt(size_t which) {
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
        setenv("OCR_TIME_LIMIT", "1", 1);
        setenv("OCR_RETRY", ends[which].retry, 1);
        dup2(tells[1], STDERR_FILENO);
        dup2(tells[1], STDOUT_FILENO);
        execl("/proc/self/exe", "crashes", (char *)NULL);
        _exit(2);
    }
    close(tells[1]);
    for (ssize_t got; len < sizeof text - 1 && (got = read(tells[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)got;
    text[len] = 0;
    close(tells[0]);
    CHECK_EQ(waitpid(other, &status, 0), other);
    const char *first = strstr(text, BEYOND);
    const char *printed = strstr(text, "printed before\n");
    const bool once = first && !strstr(first + 1, BEYOND) && printed && !strstr(printed + 1, "printed before\n");
    const bool says = strstr(text, ends[which].says) && !strstr(text, ends[which].without);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !once || !says) {
        fprintf(stderr, "end %zu: status %x\n%s\nlacks: %s\n", which, (unsigned)status, text, ends[which].says);
        CHECK(!"it ends with status 1, and the message says why");
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const char *which = getenv("CRASHES");
    if (which == NULL) {
        for (size_t at = 0; at < ENDS; at++)
            end_of_edt(at);
        ocrShutdown();
        return NULL_GUID;
    }
    u64 number = strtoul(which, NULL, 10);
    ocrGuid_t tmpl = template_of(late, 1, 0);
    if (ends[number].hint >= 0) {
        ocrHint_t hint;
        OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_RETRY, (u64)ends[number].hint));
        OK(ocrSetHint(tmpl, &hint));
    }
    edt_of(tmpl, 1, &number, 0, NULL, EDT_PROP_NONE, NULL);
    return NULL_GUID;
}
