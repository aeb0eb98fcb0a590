/* Strict mode: the place of what a creator was given, which is no object yet. */
// misuse: OCR-affinity-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAffinityQuery: guid (0x
// stderr: ) is not the GUID of an object that exists

#include "strict.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    ocrGuid_t place;
    u64 count = 1;
    ocrAffinityQuery(lid, &count, &place);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map, object;
    OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
    ocrMapGet(&object, map, 0);
    return NULL_GUID;
}
