/* Strict mode: fewer pre-slots than the template says. */
// misuse: OCR-2.7.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: depc is 1, but the template says 2

#include "strict.h"

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, tmpl = TEMPLATE(quick, 0, 2);
    ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
