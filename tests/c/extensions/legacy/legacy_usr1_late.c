/* SIGUSR1 that comes before, between and after the runs of a program: it ends nothing, and has the next run print what
 * it does. */
// clause: ocr-legacy.h
// stdout: still here
// stderr: ocr: note: SIGUSR1: no OCR program runs in this process now
// stderr: 1 waiting for dependences
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <signal.h>

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

/* Waits until the standard error, which is a file now, has this in it. */
static void wait_for(const char *text) {
    static char seen[1 << 16];
    do {
        sched_yield();
        const ssize_t length = pread(STDERR_FILENO, seen, sizeof seen - 1, 0);
        CHECK(length >= 0);
        seen[length] = 0;
    } while (strstr(seen, text) == NULL);
}

int main(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, event;
    const int errors = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    CHECK(errors >= 0 && file != NULL && dup2(fileno(file), STDERR_FILENO) >= 0);
    for (int run = 0; run < 3; run++) {
        ocrLegacyInit(&context, &config);
        event = event_of(OCR_EVENT_STICKY_T);
        spawn(ends, 0, NULL, 1, &event);
        if (run == 2) {
            CHECK(raise(SIGUSR1) == 0);
            wait_for("1 waiting for dependences");
        }
        OK(ocrEventSatisfy(event, NULL_GUID));
        OK(ocrLegacyFinalize(context, true));
        CHECK(raise(SIGUSR1) == 0);
        wait_for("no OCR program runs");
    }
    char text[1 << 12];
    const ssize_t length = pread(STDERR_FILENO, text, sizeof text, 0);
    CHECK(length > 0 && write(errors, text, (size_t)length) == length);
    puts("still here");
    return 0;
}
