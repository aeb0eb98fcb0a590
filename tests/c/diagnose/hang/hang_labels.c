/*
 * The message about a program that hangs shows the labels of the EDTs and events that it names. A
 * second label replaces the first.
 */
// clause: hang
// status: nonzero
// stderr: (never_runs) labelled "last step 3 4" waits on
// stderr: labelled "more than sixteen letters"
// needs: halt
#include "check.h"
#include <extensions/ocr-debug.h>

static ocrGuid_t never_runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtTemplateCreate(&tmpl, never_runs, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL));
    u64 numbers[2] = {3, 4};
    OK(ocrAttachDebugLabel(edt, "first", 1, numbers));
    OK(ocrAttachDebugLabel(edt, "last step", 2, numbers));
    OK(ocrAttachDebugLabel(event, "more than sixteen letters", 0, NULL));
    return NULL_GUID;
}
