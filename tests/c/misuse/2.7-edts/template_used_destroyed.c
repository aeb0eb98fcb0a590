/* Strict mode: a template is used after it was destroyed. */
// misuse: OCR-2.7.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: a template was used after it had been destroyed (argument templateGuid)
// stderr: (end_edt)
// stderr: destroyed by ocrEdtTemplateDestroy in EDT
// stderr: Destroy the template after the last ocrEdtCreate

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, tmpl = TEMPLATE(end_edt, 0, 0);
    OK(ocrEdtTemplateDestroy(tmpl));
    ocrEdtCreate(&guid, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
