/* Strict mode: EDT_PARAM_DEF with a template that has no number. */
// misuse: OCR-2.7.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: paramc is EDT_PARAM_DEF, but the template says EDT_PARAM_UNK

#include "strict.h"

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 params[3] = {1, 2, 3};
    ocrGuid_t guid, tmpl = TEMPLATE(quick, EDT_PARAM_UNK, 0);
    ocrEdtCreate(&guid, tmpl, EDT_PARAM_DEF, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
