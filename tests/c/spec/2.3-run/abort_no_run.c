/* ocrAbort outside of a run ends the process with its code: before ocrLegacyInit, and after ocrLegacyFinalize. */
// clause: 2.3.2
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <sys/wait.h>

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

/* In a process of its own. */
static void aborts(int argc, char **argv, u8 code, bool after_a_run) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (after_a_run) {
            ocrConfig_t config;
            ocrGuid_t context, handle, slot = NULL_GUID;
            ocrParseArgs(argc, (const char **)argv, &config);
            ocrLegacyInit(&context, &config);
            OK(ocrLegacySpawnOCR(&handle, template_of(ends, 0, 1), 0, NULL, 1, &slot, context));
            OK(ocrLegacyFinalize(context, true));
        }
        ocrShutdown(); /* does nothing */
        ocrAbort(code);
        _exit(99);
    }
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), code);
}

int main(int argc, char **argv) {
    aborts(argc, argv, 7, false);
    aborts(argc, argv, 8, true);
    return 0;
}
