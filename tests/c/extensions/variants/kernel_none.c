/*
 * Without devices a kernel can be added all the same, and the C function does the work. Nothing of
 * OpenCL is needed for that. The statistics say why.
 */
// clause: ocr-variants.h ocr-stats.h
// env: OCR_DEVICES=none
// env: OCR_STATS=1
// stderr: ocr: note: EDTs of template "adds" ran as its C function: OCR_DEVICES is none, so no device is used: leave it out
#include "kernel.h"

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    static const char *source = "__kernel void adds(__global uint *words) { words[0] += 1; }\n";
    ocrGuid_t block = *(ocrGuid_t *)paramv, first = template_of(adds, 0, 1), second = kernel_of(source, "adds", 0, 1);
    OK(ocrEdtTemplateAddKernel(first, source, NULL, "adds", one_item, OCR_NO_RESULT));
    OK(ocrEdtTemplateAddFunction(second, adds, NULL));
    for (int i = 0; i < 100; i++) {
        ocrGuid_t edt =
            i % 2 ? edt_of(first, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL) : kernel_edt(second, 1, 0, NULL, 1, NULL);
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(first));
    OK(ocrEdtTemplateDestroy(second));
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(*(u32 *)depv[0].ptr, 100);
    CHECK_EQ(stats.kernelEdts, 0);
    CHECK_EQ(stats.devices, 0);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(1, 0, 0);
    in_scope(scope, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
