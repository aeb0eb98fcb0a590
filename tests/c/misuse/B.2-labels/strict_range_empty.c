/* Strict mode: a range of no labels. */
// misuse: OCR-B.2.2-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidRangeCreate: numberGuid is 0
#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    ocrGuidRangeCreate(&range, 0, GUID_USER_DB);
    return NULL_GUID;
}
