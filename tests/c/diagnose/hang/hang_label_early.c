/*
 * No EDT creates what EDTs wait for: the message names the labels, and who has used them. The event of the one EDT is
 * there, but not the EDT that should satisfy it.
 */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: (waits_for_event) waits on
// stderr: pre-slot 1: an object of the labeled GUID 0x
// stderr: (index 2 of 0x
// stderr: , which was never created
// stderr: ocrEventSatisfy of 0x
// stderr: with NULL_GUID by EDT 0x
// stderr: (mainEdt) waits until an object is created on the labeled GUID 0x
// stderr: \nhas no object"];
// stderr: [label="ocrEventSatisfy\nEDT 0x
// stderr: the result of an EDT from 0x
// stderr: (returns_label) waits until an object is created on the labeled GUID 0x
// env: OCR_HALT_DOT=/dev/stderr
// needs: halt
#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t waits_for_event(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its event");
    return NULL_GUID;
}

static ocrGuid_t returns_label(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return (ocrGuid_t){(s64)paramv[0]};
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
    ocrGuid_t returns, output, open = UNINITIALIZED_GUID;
    u64 param = (u64)other.guid;
    returns = EDT_WITH(returns_label, 1, &param, 1, &open, &output);
    EDT(waits_for_event, 0, NULL, 1, &output);
    OK(ocrAddDependence(NULL_GUID, returns, 0, DB_MODE_NULL));
    return NULL_GUID;
}
