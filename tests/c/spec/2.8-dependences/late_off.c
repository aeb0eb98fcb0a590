// With OCR_GONE_EVENTS=0 a dependence that comes after its event has gone is refused, and the message about the hang
// names the setting.
//
// clause: 2.8.1
// env: OCR_GONE_EVENTS=0
// needs: halt
// status: 1
// stderr: the program hangs
// stderr: A dependence on an event that was gone was refused: ocrAddDependence in EDT 0x
// stderr: OCR_GONE_EVENTS=N, with a larger N, has the runtime know it for longer
// stderr-without: came too late:
#include "late.h"

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"it runs");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(event, NULL_GUID));
    REFUSED(OCR_EINVAL, ocrAddDependence(event, spawn(waits, 0, NULL, 1, NULL), 0, DB_MODE_NULL));
    return NULL_GUID;
}
