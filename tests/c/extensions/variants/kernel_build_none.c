/* A source that has no kernel at all is refused with a message that says so. */
// clause: ocr-variants.h
// needs: opencl
// stderr: the source has no kernel 'none', and no other kernel: a kernel is declared as kernel void none(...)
#include "kernel.h"
#include "opencl_facts.h"

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const char source[] = "void none(__global ulong *n) { n[0] += 1; }\n";
    if (!fact_no_kernels(source)) {
        NOT_RUN("the implementation has another error for a source without kernels than that a kernel has another "
                "name");
    }
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(template_of(nothing, 0, 1), source, NULL, "none", one_item, 0));
    ocrShutdown();
    return NULL_GUID;
}
