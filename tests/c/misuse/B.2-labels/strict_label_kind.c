/* Strict mode: an event is created on a label for data blocks. */
// misuse: OCR-B.2.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: *guid (0x
// stderr: , index 1 of 0x
// stderr: ) is a labeled GUID for data blocks, not for events
// stderr: created by ocrGuidRangeCreate in EDT 0x
// stderr: points to a GUID of a range or map, for this kind of object

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 1));
    ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_CHECK);
    return NULL_GUID;
}
