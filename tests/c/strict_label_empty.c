/* Strict mode: a labeled GUID is used before its object was created. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: eventGuid (
// stderr: ) is a labeled GUID without an object
// stderr: what to do: Create the object before it is used

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 1));
    ocrEventSatisfy(label, NULL_GUID);
    return NULL_GUID;
}
