/* Strict mode: an index beyond the end of a range. */
// misuse: OCR-B.2.2.5-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidFromIndex: index 4 is out of range: the last is 3

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    ocrGuidFromIndex(&label, range, 4);
    return NULL_GUID;
}
