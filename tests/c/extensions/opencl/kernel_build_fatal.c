/*
 * A kernel-only template that does not compile: refused at once, or its EDT ends the program. Never
 * a silent success: the message names the kernel, the status is not zero.
 */
// clause: ocr-opencl.h
// needs: opencl
// status: nonzero
// stderr: unhappy_kernel
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, output;
    u8 code = ocrOpenclTemplateCreate(&tmpl, "__kernel void unhappy_kernel(__global ulong *n) { return 1 }\n", NULL,
                                      "unhappy_kernel", 0, 1, NULL);
    if (code != 0) {
        if (code == OCR_EINVAL) {
            ocrAbort(3);
        }
        ocrShutdown(); /* another code is wrong: ends with the status that fails */
        return NULL_GUID;
    }
    ocrGuid_t edt = kernel_edt(tmpl, 1, 0, NULL, 1, &output);
    link_to(output, end_after(1), 0, DB_MODE_NULL);
    link_to(block_with(0), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
