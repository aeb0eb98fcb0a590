/* An EDT whose only kernel is for GPUs, where only a CPU device is in use: the message says both. */
// clause: ocr-opencl.h
// needs: opencl
// env: OCR_DEVICES=cpu
// workers: 2
// status: 1
// stderr: its kernel "adds" is for GPUs and accelerators only (-ocr-device=gpu); the
// stderr: (CPU)
// stderr-without: asked for
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    const char source[] = "kernel void adds(global ulong *word) { *word += 1; }";
    ocrGuid_t tmpl;
    OK(ocrOpenclTemplateCreate(&tmpl, source, "-ocr-device=gpu", "adds", 0, 1, NULL));
    ocrGuid_t edt = kernel_edt(tmpl, 1, 0, NULL, 1, NULL);
    link_to(block_with(1), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
