/* Strict mode: an event is destroyed twice. */
// misuse: OCR-2.6.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: an idempotent event was destroyed twice (argument guid)
// stderr: destroyed by ocrEventDestroy in EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_IDEM_T);
    OK(ocrEventDestroy(event));
    ocrEventDestroy(event);
    return NULL_GUID;
}
