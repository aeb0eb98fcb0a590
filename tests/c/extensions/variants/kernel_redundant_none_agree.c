/* With OCR_REDUNDANT=3 a kernel that leaves something else each time is told from one that is only another: here it
 * writes where its block is, which is another copy in each run. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=3
// status: 1
// stderr: No two of the three runs have left the same: the kernel leaves something else each time
#include "kernel.h"

static const char *source = "kernel void where(global ulong *out) { out[0] = (ulong)out | 1; }\n";

static ocrGuid_t where(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = 0;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, output;
    OK(ocrEdtTemplateCreate(&tmpl, where, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "where", one_item, OCR_NO_RESULT));
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    spawn(end_edt, 0, NULL, 1, &output);
    link_to(block_with(5), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
