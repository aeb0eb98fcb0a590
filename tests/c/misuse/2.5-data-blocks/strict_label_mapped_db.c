/* Strict mode: a creator's data block is refused for its allocator; the identifier is not accused. */
// misuse: OCR-2.5.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCreate: there is no allocator 7

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    ocrDbCreate(&lid, NULL, 8, DB_PROP_MAPPED, NULL_HINT, (ocrInDbAllocator_t)7);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map, block;
    OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
    ocrMapGet(&block, map, 0);
    return NULL_GUID;
}
