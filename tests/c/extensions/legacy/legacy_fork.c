/* A process that is forked in the middle of a run has no threads that run EDTs: what would wait for them ends it. */
// clause: ocr-legacy.h
// needs: signals
// stderr: ocrLegacyBlockProgress: this process was made by fork()
// stderr: ocrLegacyFinalize: this process was made by fork()
// stderr: ocrPause: this process was made by fork()
// stderr: ocrLegacyInit: this process was made by fork()
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <sys/wait.h>

static ocrGuid_t context, event;
static ocrConfig_t config = {0, NULL, NULL};

static void waits(void) {
    ocrGuid_t block;
    void *place;
    u64 size;
    ocrLegacyBlockProgress(event, &block, &place, &size, LEGACY_PROP_NONE);
}

static void finalizes(void) { ocrLegacyFinalize(context, true); }

static void pauses(void) { ocrPause(true); }

static void begins(void) { ocrLegacyInit(&context, &config); }

static void in_another(void (*does)(void)) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        does();
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 1);
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

int main(void) {
    ocrLegacyInit(&context, &config);
    event = event_of(OCR_EVENT_STICKY_T);
    in_another(waits);
    in_another(finalizes);
    in_another(begins);
    in_another(pauses);
    // The first one goes on.
    spawn(ends, 0, NULL, 1, &event);
    OK(ocrEventSatisfy(event, NULL_GUID));
    OK(ocrLegacyFinalize(context, true));
    return 0;
}
