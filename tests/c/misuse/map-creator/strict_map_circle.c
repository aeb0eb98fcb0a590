/* Strict mode: two creators ask for each other's objects first. */
// misuse: OCR-map-creator-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapGet: the creator of the object of index 0 of the map 0x
// stderr: what to do: Have the creator create its object first

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static ocrGuid_t map;

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    ocrGuid_t other;
    ocrMapGet(&other, map, 1 - index);
    OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t out;
    OK(ocrMapCreate(&map, 2, creator, 0, NULL, 0, NULL));
    ocrMapGet(&out, map, 0);
    return NULL_GUID;
}
