/*
 * Many EDTs wait for events that an EDT would satisfy which misses a dependence itself: that one is
 * the cause, and named first, though it was created last.
 */
// clause: hang
// status: nonzero
// stderr: the program hangs
// stderr: (cause) waits on
// stderr: pre-slot 1: a dependence that was never added
// needs: halt
#include "check.h"

enum { EVENTS = 100 };

static ocrGuid_t events[EVENTS];

static ocrGuid_t cause(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < EVENTS; i++) {
        OK(ocrEventSatisfy(events[i], NULL_GUID));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, slots[] = {NULL_GUID, UNINITIALIZED_GUID};
    OK(ocrEdtTemplateCreate(&tmpl, end_edt, 0, 1));
    for (u64 i = 0; i < EVENTS; i++) {
        OK(ocrEventCreate(&events[i], OCR_EVENT_ONCE_T, EVT_PROP_NONE));
        OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &events[i], EDT_PROP_NONE, NULL_HINT, NULL));
    }
    OK(ocrEdtTemplateCreate(&tmpl, cause, 0, 2));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
