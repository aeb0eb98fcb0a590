// A hang because a pre-slot was never connected, and another because its event was destroyed.
//
// status: 1
// stderr: (lacks_some) waits on
// stderr: pre-slot 1: a dependence that was never added (ocrAddDependence)
// stderr: pre-slot 2: a dependence that was never added (ocrAddDependence), or whose event was destroyed or, as a once, latch or output event, gone before it was added
// needs: halt
#include "check.h"

static ocrGuid_t lacks_some(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependences");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, event = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t slots[] = {NULL_GUID, UNINITIALIZED_GUID, event};
    OK(ocrEdtTemplateCreate(&tmpl, lacks_some, 0, 3));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 3, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEventDestroy(event));
    return NULL_GUID;
}
