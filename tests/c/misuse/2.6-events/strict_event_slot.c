/* Strict mode: the increment slot of an event that is no latch. */
// misuse: OCR-2.6.4-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfySlot: slot 1 is out of range: a sticky event has 1 slot
// stderr: OCR_EVENT_LATCH_T

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventSatisfySlot(event_of(OCR_EVENT_STICKY_T), NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    return NULL_GUID;
}
