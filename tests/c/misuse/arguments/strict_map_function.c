/* Strict mode: a map of labels without a function. */
// misuse: OCR-arguments-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidMapCreate: mapFunc is NULL
#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map;
    ocrGuidMapCreate(&map, 0, NULL, NULL, 1, GUID_USER_DB);
    return NULL_GUID;
}
