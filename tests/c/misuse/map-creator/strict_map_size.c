/* Strict mode: a map for no objects. */
// misuse: OCR-map-creator-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapCreate: size is 0
// stderr: a map stands for one object at least

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map;
    ocrMapCreate(&map, 0, creator, 0, NULL, 0, NULL);
    return NULL_GUID;
}
