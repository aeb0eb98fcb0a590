/* Strict mode: a latch event for two is decremented by three events that it depends on. */
// misuse: OCR-1.4.3.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a latch event was satisfied after it had triggered
// stderr: created by ocrEventCreateParams in EDT
// stderr: Count what decrements it
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t events[3], latch;
    ocrEventParams_t params = {.EVENT_LATCH = {.counter = 2}};
    OK(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
    for (int n = 0; n < 3; n++) {
        events[n] = event_of(OCR_EVENT_ONCE_T);
        link_to(events[n], latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    }
    for (int n = 0; n < 3; n++)
        OK(ocrEventSatisfy(events[n], NULL_GUID));
    return NULL_GUID;
}
