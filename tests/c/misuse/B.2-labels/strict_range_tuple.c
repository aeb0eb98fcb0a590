/* Strict mode: a range is asked with a tuple. */
// misuse: OCR-B.2.2-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidFromLabel: mapGuid (0x
// stderr: ) is a range, not a map
// stderr: what to do: Use ocrGuidFromIndex.

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    s64 tuple[1] = {0};
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    ocrGuidFromLabel(&label, range, tuple);
    return NULL_GUID;
}
