/* Strict mode: a sticky event is satisfied a second time, by a dependence from a block. */
// misuse: OCR-1.4.3-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: a sticky event was satisfied twice
// stderr: satisfied by ocrEventSatisfy in EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrAddDependence(block_with(3), event, 0, DB_MODE_RO);
    return NULL_GUID;
}
