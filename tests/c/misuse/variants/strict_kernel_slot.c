/* Strict mode: a kernel is to pass on the block of a pre-slot that its EDTs do not have. */
// misuse: OCR-variants-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtTemplateAddKernel: resultSlot is 2, but the template has 2 pre-slots
// stderr: Slots count from 0.
#include "strict.h"
#include <extensions/ocr-variants.h>

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    space->workDim = 1;
    space->globalSize[0] = 1;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(mainEdt, 0, 2);
    ocrEdtTemplateAddKernel(tmpl, "kernel void k(global int *a, global int *b) {}", NULL, "k", range, 2);
    return NULL_GUID;
}
