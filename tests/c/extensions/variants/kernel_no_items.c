/*
 * A range function sets no size: the kernel does nothing, and a warning says so once. An index space of
 * ocrOpenclTaskCreate may have no work-items.
 */
// clause: ocr-variants.h ocr-opencl.h
// needs: opencl
// env: OCR_SCHED=device
// workers: 2
// stderr: ocr: warning: the kernel of EDT 0x
// stderr: (forgets) does nothing: globalSize[0] is 0. The template's range function sets it to the number of work-items. More
// stderr-without: (given)
#include "kernel.h"

static const char *source = "kernel void fills(global uint *words) { words[get_global_id(0)] = 1; }\n";

static void no_range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    range->workDim = 1;
}

static ocrGuid_t forgets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the policy is the device");
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, tmpl = template_of(forgets, 0, 1), given;
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "fills", no_range, OCR_NO_RESULT));
    OK(ocrOpenclTemplateCreate(&given, source, NULL, "fills", 0, 1, "given"));
    link_to(block, kernel_edt(given, 0, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    link_to(block, edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 0);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(1, 0, 0);
    in_scope(scope, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
