/* Strict mode: a map without a creator. */
// misuse: OCR-arguments-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapCreate: creatorFunc is NULL
// stderr: Pass the function that is to create the objects

#include "strict.h"
#include <extensions/ocr-map-creator.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map;
    ocrMapCreate(&map, 4, NULL, 0, NULL, 0, NULL);
    return NULL_GUID;
}
