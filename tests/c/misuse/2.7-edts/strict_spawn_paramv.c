/* Strict mode: an EDT with parameters is spawned without. */
// misuse: OCR-2.7.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacySpawnOCR: paramv is NULL, but the EDT has 2 parameters
// stderr: paramc EDT_PARAM_DEF, paramv NULL
// stderr: (function):
// stderr: created by ocrEdtTemplateCreate in EDT 0x
// stderr: Pass an array of that many u64
#include "strict.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, first = NULL_GUID, tmpl = TEMPLATE(function, 2, 1);
    ocrLegacySpawnOCR(&handle, tmpl, EDT_PARAM_DEF, NULL, 1, &first, NULL_GUID);
    return NULL_GUID;
}
