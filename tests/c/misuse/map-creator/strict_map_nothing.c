/* Strict mode: a creator creates an object, but not for its map. */
// misuse: OCR-map-creator-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapGet: the creator of the map 0x
// stderr: has created no object for index 2
// stderr: a creator passes the address of its objectLid to a create function, with EDT_PROP_MAPPED
// stderr: (extensions/ocr-map-creator.h)

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, index == 2 ? EVT_PROP_NONE : EVT_PROP_MAPPED));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map, out;
    OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
    OK(ocrMapGet(&out, map, 1));
    OK(ocrEventSatisfy(out, NULL_GUID));
    ocrMapGet(&out, map, 2);
    return NULL_GUID;
}
