/* Strict mode: parameters for an EDT that has none. */
// misuse: OCR-2.7.3-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: paramv is given, but the EDT has no parameters

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 number = 1;
    ocrGuid_t edt;
    ocrEdtCreate(&edt, TEMPLATE(end_edt, 0, 0), 0, &number, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
