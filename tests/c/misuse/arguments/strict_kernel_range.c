/* Strict mode: a kernel without a range function. */
// misuse: OCR-arguments-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtTemplateAddKernel: range is NULL
// stderr: how many work-items an EDT has
#include "strict.h"
#include <extensions/ocr-variants.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(mainEdt, 0, 1);
    ocrEdtTemplateAddKernel(tmpl, "kernel void k(global int *a) {}", NULL, "k", NULL, OCR_NO_RESULT);
    return NULL_GUID;
}
