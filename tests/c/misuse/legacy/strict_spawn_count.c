/* Strict mode: an EDT is spawned with a number of parameters that is negative. */
// misuse: OCR-legacy-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacySpawnOCR: paramc is 18446744073709551614
// stderr: EDT_PARAM_DEF is a u32
#include "strict.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, first = NULL_GUID, tmpl = TEMPLATE(function, 0, 1);
    ocrLegacySpawnOCR(&handle, tmpl, (u64)-2, NULL, 1, &first, NULL_GUID);
    return NULL_GUID;
}
