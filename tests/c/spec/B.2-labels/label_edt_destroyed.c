/*
 * An EDT on a label that waits for events is destroyed: its label is free for the next one at once, which has nothing
 * of what was meant for the other: neither from an event that was connected to that, nor from one that does not exist
 * yet.
 */
// clause: B.2.3
// revisions: plain strict
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { EVENTS, EDTS, KINDS };

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT that was destroyed has run");
    return NULL_GUID;
}

static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    CHECK(depv[0].ptr == NULL);
    CHECK_EQ(number_in(depv[1]), 7);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t edt_on(ocrGuid_t label, ocrEdt_t function) {
    ocrGuid_t edt = label, tmpl = template_of(function, 0, 2);
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    CHECK(ocrGuidIsEq(edt, label));
    return edt;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t ranges[KINDS], labels[KINDS], event = event_of(OCR_EVENT_STICKY_T);
    ocrGuidUserKind kinds[KINDS] = {GUID_USER_EVENT_STICKY, GUID_USER_EDT}, kind;
    for (int i = 0; i < KINDS; i++) {
        OK(ocrGuidRangeCreate(&ranges[i], 4, kinds[i]));
        OK(ocrGuidFromIndex(&labels[i], ranges[i], 1));
    }
    ocrGuid_t edt = edt_on(labels[EDTS], never);
    OK(ocrAddDependence(event, edt, 0, DB_MODE_NULL));
    /* This one waits until the event is created. */
    OK(ocrAddDependence(labels[EVENTS], edt, 1, DB_MODE_RO));
    OK(ocrEdtDestroy(edt));
    OK(ocrGetGuidKind(&kind, edt));
    CHECK_EQ(kind, GUID_USER_NONE);

    edt = edt_on(labels[EDTS], next);
    OK(ocrEventCreate(&labels[EVENTS], OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
    OK(ocrEventSatisfy(labels[EVENTS], block_with(6)));
    OK(ocrEventSatisfy(event, NULL_GUID));
    OK(ocrAddDependence(event, edt, 0, DB_MODE_NULL));
    OK(ocrAddDependence(block_with(7), edt, 1, DB_MODE_RO));
    OK(ocrEventDestroy(event));
    return NULL_GUID;
}
