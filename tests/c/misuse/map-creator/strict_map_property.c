/* Strict mode: an event is created for a map, but not in its creator. */
// misuse: OCR-map-creator-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: the properties say that a creator creates its object, but *guid is not what it was
// stderr: what to do: Pass &objectLid

#include "strict.h"
#include <extensions/ocr-map-creator.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = NULL_GUID;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED);
    return NULL_GUID;
}
