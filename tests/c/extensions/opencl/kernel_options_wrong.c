/* The option for devices, where it is not first, or not in one word. */
// clause: ocr-opencl.h
// needs: opencl
// workers: 2
// stderr: cannot be used: the option -ocr-device=cpu stands behind others: it must come first
// stderr: cannot be used: the option -ocr-device is followed by a blank: write -ocr-device=cpu or -ocr-device=gpu
// stderr: cannot be used: the option -ocr-device=tpu is none
// stderr: cannot be used: the option -ocr-device=gpu comes after -ocr-device=cpu
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const char source[] = "kernel void adds(global ulong *word) { *word += 1; }";
    const char *const options[] = {"-DX=1 -ocr-device=cpu", "-ocr-device cpu", "-ocr-device=tpu",
                                   "-ocr-device=cpu -ocr-device=gpu"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ocrGuid_t tmpl;
        REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&tmpl, source, options[i], "adds", 0, 1, NULL));
    }
    ocrShutdown();
    return NULL_GUID;
}
