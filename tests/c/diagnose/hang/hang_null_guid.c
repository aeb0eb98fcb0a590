/* An event is satisfied by a GUID that was copied before it was set: that is reported where the program hangs. */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: which was never satisfied
// stderr: 3 calls with NULL_GUID alone did nothing before, the first: ocrEventSatisfy, in EDT 0x
// stderr: it was not set yet, or a copy of it was made before it was
// needs: halt
#include "check.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"what it waits for is not satisfied");
    return NULL_GUID;
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event;
    memcpy(&event, paramv, sizeof event);
    OK(ocrEventSatisfy(event, NULL_GUID));
    OK(ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    OK(ocrAddDependence(NULL_GUID, event, 0, DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = NULL_GUID;
    u64 copy;
    memcpy(&copy, &event, sizeof copy);
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(never, 0, NULL, 1, &event);
    spawn(satisfies, 1, &copy, 0, NULL);
    return NULL_GUID;
}
