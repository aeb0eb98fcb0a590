/*
 * A program that hangs since an EDT waits in a call for another one, which waits for a data block that the first one
 * holds: the message names the circle, though many others wait for the block, too.
 */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: These wait for each other, so that none can go on: EDT 0x
// stderr: (holds) for the output event of EDT 0x
// stderr: (needs) for the data block 0x
// stderr: labelled "state", which EDT 0x
// stderr: Release a block (ocrDbRelease) before waiting
// needs: halt
#include "check.h"

#include <extensions/ocr-debug.h>
#include <extensions/ocr-legacy.h>

static ocrGuid_t others(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t needs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t holds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t done = event_of(OCR_EVENT_STICKY_T), output;
    for (int i = 0; i < 100; ++i)
        link_to(depv[0].guid, spawn(others, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    ocrGuid_t edt = spawn_with(needs, 0, NULL, 2, NULL, EDT_PROP_NONE, &output);
    link_to(output, done, 0, DB_MODE_NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_EW);
    link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    ocrLegacyBlockProgress(done, NULL, NULL, NULL, LEGACY_PROP_NONE);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t state = block_with(0);
    OK(ocrAttachDebugLabel(state, "state", 0, NULL));
    link_to(state, spawn(holds, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
