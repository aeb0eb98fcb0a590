/* Strict mode: a contribution to an event that takes none. */
// misuse: OCR-reduction-event-g
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCollectiveSatisfySlot: eventGuid is a sticky event, not a collective event

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 one = 1;
    ocrEventCollectiveSatisfySlot(event_of(OCR_EVENT_STICKY_T), &one, 0);
    return NULL_GUID;
}
