/* Strict mode: a map is asked for whose GUID was never given. */
// misuse: OCR-arguments-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapGet: mapGuid (0x
// stderr: ) is not the GUID of an object

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map, out;
    OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
    ocrMapGet(&out, addValueToGuid(map, 5), 0);
    return NULL_GUID;
}
