// A hang because a pre-slot was never connected, one because its event was destroyed, and one because
// the labeled GUID's event was gone.
//
// clause: hang
// status: 1
// stderr: (lacks_some) waits on
// stderr: pre-slot 1: a dependence that was never added (ocrAddDependence)
// stderr: pre-slot 2: a dependence that was never added (ocrAddDependence), or was refused, for instance because its event or data block did not exist, or whose event was destroyed
// stderr: pre-slot 3: a dependence that was never added
// stderr: A call was refused before: ocrAddDependence returned OCR_EINVAL, in EDT
// stderr: (mainEdt). OCR_CHECK=strict says why.
// stderr: Once, latch, counted and output events are destroyed when they have triggered, and their GUIDs, labeled or not, are invalid from then on
// stderr: Run with OCR_CHECK=strict to see which event was used too late, and what destroyed it
// needs: halt
#include "check.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t lacks_some(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependences");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, range, label, event = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t slots[] = {NULL_GUID, UNINITIALIZED_GUID, event, UNINITIALIZED_GUID};
    OK(ocrEdtTemplateCreate(&tmpl, lacks_some, 0, 4));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 4, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEventDestroy(event));

    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 0));
    OK(ocrEventCreate(&label, OCR_EVENT_ONCE_T, GUID_PROP_IS_LABELED));
    OK(ocrEventSatisfy(label, NULL_GUID));
    CHECK(ocrAddDependence(label, edt, 3, DB_MODE_RO) != 0);
    return NULL_GUID;
}
