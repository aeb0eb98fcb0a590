/*
 * Nobody creates what EDTs wait for: the message names the labels, and who has used them. The event of the one EDT is
 * there, but not the EDT that is to satisfy it.
 */
// status: 1
// stderr: the program hangs
// stderr: (waits_for_event) waits on
// stderr: pre-slot 1: an object of the labeled GUID 0x
// stderr: (index 2 of 0x
// stderr: , which nobody has created
// stderr: ocrEventSatisfy of 0x
// stderr: with NULL_GUID by EDT 0x
// stderr: (mainEdt) waits until an object is created on the labeled GUID 0x
// needs: halt
#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t waits_for_event(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its event");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label, other, edt = EDT(waits_for_event, 0, NULL, 2, NULL);
    OK(ocrGuidRangeCreate(&range, 3, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 2));
    OK(ocrGuidFromIndex(&other, range, 1));
    OK(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL));
    OK(ocrAddDependence(label, edt, 1, DB_MODE_RO));
    OK(ocrEventSatisfy(other, NULL_GUID));
    return NULL_GUID;
}
