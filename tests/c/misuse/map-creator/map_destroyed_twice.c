/* Strict mode: a map is destroyed twice. */
// misuse: OCR-map-creator-g
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapDestroy: a map was destroyed twice (argument mapGuid)
// stderr: map 0x
// stderr: "tiles":
// stderr: created by ocrMapCreate in EDT
// stderr: destroyed by ocrMapDestroy in EDT
// stderr: extensions/ocr-map-creator.h
// stderr: Destroy it in the last EDT that uses it

#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map;
    OK(ocrMapCreate(&map, 4, creator, 0, NULL, 0, NULL));
    OK(ocrAttachDebugLabel(map, "tiles", 0, NULL));
    OK(ocrMapDestroy(map));
    ocrMapDestroy(map);
    return NULL_GUID;
}
