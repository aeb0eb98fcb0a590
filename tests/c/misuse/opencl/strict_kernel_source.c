/* Strict mode: a kernel that does not compile ends the program where its template is created. */
// misuse: OCR-opencl-a
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: undeclared
// stderr: strict mode: ocrOpenclTemplateCreate: the kernel cannot be used
// stderr: Mend what the warning before this message says
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl;
    ocrOpenclTemplateCreate(&tmpl, "kernel void k(global int *out) { out[0] = nowhere; }", NULL, "k", 0, 1, NULL);
    CHECK(!"the program goes on");
    return NULL_GUID;
}
