/*
 * An EDT returns, and a thread ends the run, though they have paused the runtime: the pause ends, and a warning says
 * what to do.
 */
// clause: ocr-pause.h
// stderr: (leaves) had paused the runtime (ocrPause) and has ended without ocrResume, and so the pause ends. Call ocrResume before
// stderr: ocrLegacyFinalize was called by the thread that has paused the runtime (ocrPause), and so the pause ends. Call
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <stdatomic.h>

static atomic_int left;

static ocrGuid_t leaves(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(ocrPause(true), 1);
    atomic_store(&left, 1);
    return NULL_GUID;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    spawn(leaves, 0, NULL, 0, NULL);
    while (!atomic_load(&left)) {
        breathe();
    }
    CHECK_EQ(ocrPause(true), 1); /* the EDT has it no longer */
    spawn(end_edt, 0, NULL, 1, (ocrGuid_t[]){NULL_GUID});
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    return 0;
}
