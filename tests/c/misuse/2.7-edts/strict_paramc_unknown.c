/* Strict mode: an EDT leaves the number of its parameters open. */
// misuse: OCR-2.7.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: paramc is EDT_PARAM_UNK

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt;
    ocrEdtCreate(&edt, TEMPLATE(end_edt, EDT_PARAM_UNK, 0), EDT_PARAM_UNK, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT,
                 NULL);
    return NULL_GUID;
}
