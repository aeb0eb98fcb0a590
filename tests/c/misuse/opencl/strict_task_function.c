/* Strict mode: a kernel task of a template that is a function. */
// misuse: OCR-opencl-d
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: strict mode: ocrOpenclTaskCreate: the template has no kernel
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t task, tmpl = template_of(mainEdt, 0, 0);
    const size_t items[1] = {1};
    ocrOpenclTaskCreate(&task, tmpl, 1, NULL, items, NULL, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_GUID, NULL);
    return NULL_GUID;
}
