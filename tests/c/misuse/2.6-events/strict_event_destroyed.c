/* Strict mode: an event is satisfied after ocrEventDestroy. */
// misuse: OCR-2.6.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a sticky event was used after it had been destroyed (argument eventGuid)
// stderr: destroyed by ocrEventDestroy in EDT
// stderr: (mainEdt)
// stderr: OCR 1.1.0, 2.6.3
// stderr: Destroy the event after the last call that uses it

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventDestroy(event));
    ocrEventSatisfy(event, NULL_GUID);
    return NULL_GUID;
}
