/* Strict mode: a map has no such index. */
// misuse: OCR-map-creator-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapGet: index 4 is out of range: the map stands for 4

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    CHECK(!"it is called");
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map, out;
    OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
    ocrMapGet(&out, map, 4);
    return NULL_GUID;
}
