/* Strict mode: a range for objects of no kind. */
// misuse: OCR-B.2.2-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidRangeCreate: there is no kind 5 of objects
#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    ocrGuidRangeCreate(&range, 1, (ocrGuidUserKind)5);
    return NULL_GUID;
}
