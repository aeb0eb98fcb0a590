/* Strict mode: an event is given as the data of another. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: dataGuid is a sticky event 0x
// stderr: use ocrAddDependence(source, event, 0

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventSatisfy(event_of(OCR_EVENT_ONCE_T), event_of(OCR_EVENT_STICKY_T));
    return NULL_GUID;
}
