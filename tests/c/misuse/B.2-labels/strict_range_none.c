/* Strict mode: an index of what is no range. */
// misuse: OCR-B.2.2-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidFromIndex: rangeGuid (0x
// stderr: ) is not the GUID of a range or map of labeled GUIDs that exists

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t label;
    ocrGuidFromIndex(&label, event_of(OCR_EVENT_STICKY_T), 0);
    return NULL_GUID;
}
