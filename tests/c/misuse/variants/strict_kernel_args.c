/* Strict mode: a kernel, beside a C function, whose arguments are not what EDTs of the template have. */
// misuse: OCR-variants-b
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: strict mode: ocrEdtTemplateAddKernel: the kernel "adds" of template "adds" cannot be used
// stderr: the kernel takes 2 arguments (uint by, global uint *words), and is given 0 parameters and 1 block
// stderr: (mainEdt): ocrEdtTemplateAddKernel(templateGuid
#include "strict.h"
#include "opencl_facts.h"
#include <extensions/ocr-variants.h>

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    space->workDim = 1;
    space->globalSize[0] = 1;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(adds, 0, 1);
    if (!fact_argument_types()) {
        NOT_RUN("the implementation does not tell the types of a kernel's arguments, which the message has");
    }
    ocrEdtTemplateAddKernel(tmpl, "kernel void adds(uint by, global uint *words) { words[0] += by; }", NULL, "adds",
                            range, OCR_NO_RESULT);
    return NULL_GUID;
}
