/* Strict mode: a range is destroyed twice. */
// misuse: OCR-B.2.2.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidMapDestroy: a label range was destroyed twice (argument mapGuid)
// stderr: created by ocrGuidRangeCreate in EDT
// stderr: destroyed by ocrGuidMapDestroy in EDT

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrGuidMapDestroy(range));
    ocrGuidMapDestroy(range);
    return NULL_GUID;
}
