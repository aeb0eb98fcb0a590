/* Strict mode: a once event is satisfied again, when its trigger has destroyed it. */
// misuse: OCR-1.4.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a once event was satisfied after it had triggered (argument eventGuid)
// stderr: once event 0x
// stderr: created by ocrEventCreate in EDT
// stderr: satisfied by ocrEventSatisfy in EDT
// stderr: a once event is satisfied once
// stderr: OCR_EVENT_LATCH_T

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrEventSatisfy(event, NULL_GUID);
    return NULL_GUID;
}
