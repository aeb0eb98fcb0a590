/* Strict mode: a template has the number of parameters of its template. */
// misuse: OCR-2.7.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtTemplateCreate: EDT_PARAM_DEF is no number for a template

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl;
    ocrEdtTemplateCreate(&tmpl, end_edt, EDT_PARAM_DEF, 0);
    return NULL_GUID;
}
