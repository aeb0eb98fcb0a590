/* Strict mode: a once event is destroyed though it has triggered. */
// misuse: OCR-1.4.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: a once event was used after it had triggered
// stderr: once and latch events are destroyed by the runtime when they trigger

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrEventDestroy(event);
    return NULL_GUID;
}
