/* Strict mode: a map is created with GUIDs for the creator, which are not given. */
// misuse: OCR-map-creator-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapCreate: guidv is NULL, but guidc is 2
// stderr: in EDT 0x
// stderr: extensions/ocr-map-creator.h
// stderr: or 0 for guidc

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map;
    ocrMapCreate(&map, 4, creator, 0, NULL, 2, NULL);
    return NULL_GUID;
}
