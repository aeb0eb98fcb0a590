/* A program that hangs since an EDT waits for the finish scope that it keeps open itself: the message says so. */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: This waits for itself, so that it cannot go on: EDT 0x
// stderr: (inside) for the finish scope of EDT 0x
// stderr: (finish), which EDT 0x
// stderr: (inside) keeps open. Leave out that dependence, or wait elsewhere.
// needs: halt
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t inside(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t done = {.guid = (intptr_t)paramv[0]};
    ocrLegacyBlockProgress(done, NULL, NULL, NULL, LEGACY_PROP_NONE);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t finish(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    spawn(inside, 1, paramv, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done = event_of(OCR_EVENT_STICKY_T), output;
    u64 param = (u64)done.guid;
    ocrGuid_t edt = spawn_with(finish, 1, &param, 1, NULL, EDT_PROP_FINISH, &output);
    link_to(output, done, 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
