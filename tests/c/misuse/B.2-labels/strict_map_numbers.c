/* Strict mode: a map of labels without the numbers for its function. */
// misuse: OCR-B.2.2.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidMapCreate: params is NULL, but numParams is 2
#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t first(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)skip, (void)params, (void)tuple;
    return start;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map;
    ocrGuidMapCreate(&map, 2, first, NULL, 1, GUID_USER_DB);
    return NULL_GUID;
}
