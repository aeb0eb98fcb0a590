/* A parameter that does not fit its argument ends the program, with a message that names the kernel. */
// clause: ocr-variants.h
// needs: opencl
// status: nonzero
// stderr: narrow_kernel
// stderr: has 1 byte, and the parameter's value 4294967296 (0x100000000) does not fit
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel =
        kernel_of("__kernel void narrow_kernel(uchar n, __global uint *out) { out[0] = n; }\n", "narrow_kernel", 1, 1);
    ocrGuid_t output, edt;
    u64 wide = (u64)1 << 32;
    edt = kernel_edt(kernel, 1, 1, &wide, 1, &output);
    link_to(output, end_after(1), 0, DB_MODE_NULL);
    link_to(words_block(2, 0, 0), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
