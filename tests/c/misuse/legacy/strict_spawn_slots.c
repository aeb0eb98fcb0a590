/* Strict mode: an EDT without pre-slots is spawned. */
// misuse: OCR-legacy-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacySpawnOCR: the EDT has no pre-slots
#include "strict.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, none = NULL_GUID, tmpl = TEMPLATE(function, 0, 0);
    ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, EDT_PARAM_DEF, &none, NULL_GUID);
    return NULL_GUID;
}
