/* Strict mode: a range of labeled GUIDs in the place of an event. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: source is a label range 0x
// stderr: , not a data block, an event or NULL_GUID
// stderr: Pass one of its GUIDs

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, end = END(1);
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    ocrAddDependence(range, end, 0, DB_MODE_RO);
    return NULL_GUID;
}
