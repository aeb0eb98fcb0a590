/* Strict mode: an EDT with more pre-slots than there can be. */
// misuse: OCR-2.7.3-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: depc is 4294967200: too many pre-slots
// stderr: an EDT has fewer than 134217728 pre-slots
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt;
    ocrEdtCreate(&edt, TEMPLATE(worker, 0, EDT_PARAM_UNK), 0, NULL, (u32)-96, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
