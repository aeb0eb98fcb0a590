/* Strict mode: a map was destroyed so long ago that nothing is known of it any more. */
// misuse: OCR-arguments-g
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapDestroy: mapGuid (0x
// stderr: ) is not the GUID of a map of ocrMapCreate that exists

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t first = NULL_GUID;
    for (int n = 0; n < 300000; ++n) {
        ocrGuid_t map;
        OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
        OK(ocrMapDestroy(map));
        if (n == 0)
            first = map;
    }
    ocrMapDestroy(first);
    return NULL_GUID;
}
