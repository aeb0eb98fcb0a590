/* Strict mode: a latch event is decremented once more than it was incremented. */
// misuse: OCR-1.4.3.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfySlot: a latch event was satisfied after it had triggered
// stderr: first satisfied by ocrEventSatisfySlot
// stderr: Count the decrements

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    return NULL_GUID;
}
