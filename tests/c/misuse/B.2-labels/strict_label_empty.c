/* Strict mode: a labeled GUID is used, in a call that does not wait for it, before its object was created. */
// misuse: OCR-B.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: guid (
// stderr: ) is a labeled GUID without an object
// stderr: what to do: Create the object before it is used

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 1));
    ocrEventDestroy(label);
    return NULL_GUID;
}
