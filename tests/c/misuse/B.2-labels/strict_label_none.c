/* Strict mode: an event is created on a GUID that was never set. */
// misuse: OCR-B.2.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: *guid (NULL_GUID) is not a labeled GUID for events

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = NULL_GUID;
    ocrEventCreate(&event, OCR_EVENT_ONCE_T, GUID_PROP_IS_LABELED);
    return NULL_GUID;
}
