/* Strict mode: an event of another kind is asked for what a channel event has. */
// misuse: OCR-legacy-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacyIsChannelReady: the event is not a channel event
// stderr: sticky event 0x
// stderr: ocrLegacyBlockProgress says
#include "strict.h"
#include <extensions/ocr-legacy.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    while (!ocrLegacyIsChannelReady(sticky))
        ocrProgressReport(0);
    return NULL_GUID;
}
