/* Strict mode: a dependence on a once event is added after the event was satisfied. */
// misuse: OCR-1.4.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: a once event was used after it had triggered (argument source)
// stderr: satisfied by ocrEventSatisfy in EDT
// stderr: must be linked before the event triggers
// stderr: OCR_EVENT_STICKY_T

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_ONCE_T), end = END(1);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrAddDependence(event, end, 0, DB_MODE_NULL);
    return NULL_GUID;
}
