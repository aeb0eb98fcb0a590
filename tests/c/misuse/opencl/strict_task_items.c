/* Strict mode: an index space without sizes. */
// misuse: OCR-opencl-c
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: strict mode: ocrOpenclTaskCreate: global_work_size is NULL
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t task, tmpl = kernel_of("__kernel void nothing(void) {}", "nothing", 0, 0);
    ocrOpenclTaskCreate(&task, tmpl, 1, NULL, NULL, NULL, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_GUID, NULL);
    return NULL_GUID;
}
