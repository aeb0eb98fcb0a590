/* Strict mode: more parameters than the template says. */
// misuse: OCR-2.7.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: paramc is 3, but the template says 2
// stderr: template 0x
// stderr: (quick)
// stderr: created by ocrEdtTemplateCreate in EDT
// stderr: Pass EDT_PARAM_DEF or 2

#include "strict.h"

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 params[3] = {1, 2, 3};
    ocrGuid_t guid, tmpl = TEMPLATE(quick, 2, 0);
    ocrEdtCreate(&guid, tmpl, 3, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
