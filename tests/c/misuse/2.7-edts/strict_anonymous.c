/* Strict mode: an EDT without a GUID whose pre-slots are open. */
// misuse: OCR-2.7.3-g
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: guid is NULL, but not all pre-slots are given in depv

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEdtCreate(NULL, TEMPLATE(end_edt, 0, 1), 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
