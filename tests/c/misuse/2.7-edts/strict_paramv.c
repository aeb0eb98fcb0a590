/* Strict mode: parameters that are not there. */
// misuse: OCR-2.7.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: paramv is NULL, but the EDT has 2 parameters

#include "strict.h"

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, tmpl = TEMPLATE(quick, 2, 0);
    ocrEdtCreate(&guid, tmpl, EDT_PARAM_DEF, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
