/* With OCR_REDUNDANT=3 a kernel that goes wrong in one of two runs is told from one that always does: here the second
 * run finds another number in memory of the program, which the kernel reaches by its address. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=3
// env: OCR_DEVICES=cpu
// status: 1
// stderr: The other run as a kernel, on
// stderr: has left what the function has: the kernel does not leave the same each time
#include "kernel.h"
#include "opencl_facts.h"

static u32 s_runs[32];

static const char *source =
    "kernel void counts(ulong at, global uint *out) { out[0] = atomic_inc((volatile global uint *)at) ? 5 : 7; }\n";

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(s_runs[0], 2);
    *(u64 *)depv[0].ptr = 7;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    if (!fact_is_pocl())
        NOT_RUN("its kernels may not reach the memory of the program");
    ocrGuid_t tmpl, output;
    u64 at = (u64)(uintptr_t)s_runs;
    OK(ocrEdtTemplateCreate(&tmpl, counts, 1, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "counts", one_item, OCR_NO_RESULT));
    ocrGuid_t edt = edt_of(tmpl, 1, &at, 1, NULL, EDT_PROP_NONE, &output);
    spawn(end_edt, 0, NULL, 1, &output);
    link_to(block_with(0), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
