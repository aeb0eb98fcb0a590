/* Strict mode: a counted event, with parameters, is created on a label of a range that was destroyed. */
// misuse: OCR-B.2.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreateParams: *guid (0x
// stderr: ) is a labeled GUID of a range or map that was destroyed
// stderr: , index 1 of 0x
// stderr: destroyed by ocrGuidMapDestroy in EDT 0x

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    ocrEventParams_t params;
    params.EVENT_COUNTED.nbDeps = 1;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_COUNTED));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrGuidMapDestroy(range));
    ocrEventCreateParams(&label, OCR_EVENT_COUNTED_T, GUID_PROP_CHECK, &params);
    return NULL_GUID;
}
