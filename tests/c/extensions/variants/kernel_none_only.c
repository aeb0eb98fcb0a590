/* Without devices an EDT whose only variant is a kernel ends the program; the message names it. */
// clause: ocr-variants.h
// env: OCR_DEVICES=none
// status: nonzero
// stderr: lonely_kernel
// stderr: OCR_DEVICES is none, so no device is used: leave it out
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel =
        kernel_of("__kernel void lonely_kernel(__global uint *words) { words[0] = 1; }\n", "lonely_kernel", 0, 1);
    ocrGuid_t output, edt = kernel_edt(kernel, 1, 0, NULL, 1, &output);
    link_to(output, end_after(1), 0, DB_MODE_NULL);
    link_to(words_block(1, 0, 0), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
