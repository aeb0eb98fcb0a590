/* Strict mode: an EDT is spawned that is to depend on a template. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacySpawnOCR: depv[1] is a template 0x
// stderr: (function):
// stderr: created by ocrEdtTemplateCreate in EDT 0x
// stderr: "input", created by ocrDbCreate in EDT 0x
#include "strict.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, tmpl = TEMPLATE(function, 0, 3), slots[] = {NULL_GUID, tmpl, block_with(1)};
    OK(ocrAttachDebugLabel(slots[2], "input", 0, NULL));
    ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 3, slots, NULL_GUID);
    return NULL_GUID;
}
