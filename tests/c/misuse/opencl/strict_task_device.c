/* Strict mode: a kernel is to run on what is no device, and no node. */
// misuse: OCR-opencl-e
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: strict mode: ocrOpenclTaskCreate: affinity (
// stderr: is not an OpenCL device in use
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t task, tmpl = kernel_of("__kernel void nothing(void) {}", "nothing", 0, 0);
    const size_t items[1] = {1};
    ocrOpenclTaskCreate(&task, tmpl, 1, NULL, items, NULL, 0, NULL, 0, NULL, EDT_PROP_NONE, tmpl, NULL);
    return NULL_GUID;
}
