/*
 * A kernel that does not compile is refused when it is added, with a message that names it; the
 * template is as before, and its C function does the work. The report says so, too.
 */
// clause: ocr-variants.h
// env: OCR_STATS=1
// needs: opencl
// stderr: ocr: warning: the kernel "unhappy_kernel"
// stderr: ocr: note: the kernel "unhappy_kernel"
// stderr: the source has no kernel 'none'; its kernels are: some
#include "kernel.h"

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return depv[0].guid;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 10);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(adds, 0, 1), output, edt;
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, "__kernel void unhappy_kernel(__global ulong *n) { n[0] += ; }\n",
                                                NULL, "unhappy_kernel", one_item, 0));
    REFUSED(OCR_EINVAL,
            ocrEdtTemplateAddKernel(tmpl, "__kernel void unhappy_kernel(__global ulong *n) { n[0] += 1; }\n",
                                    "-no-such-option-at-all", "unhappy_kernel", one_item, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, "__kernel void some(__global ulong *n) { n[0] += 1; }\n", NULL,
                                                "none", one_item, 0));
    ocrGuid_t first = edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    for (int i = 1; i < 10; i++) {
        ocrGuid_t before = output;
        edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
        link_to(before, edt, 0, DB_MODE_EW);
    }
    link_to(output, spawn(checks, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    link_to(block_with(0), first, 0, DB_MODE_EW);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
