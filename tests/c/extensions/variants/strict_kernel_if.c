/* Strict mode: a kernel that is there for some devices alone, by #if, is no mistake: the C function runs. */
// clause: ocr-variants.h
// env: OCR_CHECK=strict
// needs: opencl
// stderr: the kernel "adds" of template "adds" cannot be used
// stderr-without: strict mode
#include "strict.h"
#include <extensions/ocr-variants.h>

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(++*(u64 *)depv[0].ptr, 8);
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    space->workDim = 1;
    space->globalSize[0] = 1;
}

static const char source[] = "#  ifdef cl_some_extension_that_there_is_not\n"
                             "kernel void adds(global ulong *words) { words[0] += 1; }\n"
                             "#endif\n"
                             "kernel void other(global ulong *words) { words[0] += 1; }\n";

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = named_template(adds, "adds", 0, 1), block = block_with(7);
    CHECK_EQ(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", range, OCR_NO_RESULT), OCR_EINVAL);
    link_to(block, edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
