/* Strict mode: an index space of four dimensions. */
// misuse: OCR-opencl-b
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: strict mode: ocrOpenclTaskCreate: work_dim is 4
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t task, tmpl = kernel_of("__kernel void nothing(void) {}", "nothing", 0, 0);
    const size_t items[4] = {1, 1, 1, 1};
    ocrOpenclTaskCreate(&task, tmpl, 4, NULL, items, NULL, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_GUID, NULL);
    return NULL_GUID;
}
