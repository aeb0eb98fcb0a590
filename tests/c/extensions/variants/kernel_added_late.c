/*
 * An EDT is created before the kernel is added to its template, and runs as a function: a note says so. A template
 * for whose kernels no number of work-items is given has one, too.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// workers: 2
// stderr: ocr: note: EDTs of template "late" that were created before its kernel "adds" was added do not use it; add kernels
// stderr: ocr: note: EDTs of template "endless" ran as its C function: nobody says how many work-items its kernel "adds" has
// stderr-without: "early"
#include "kernel.h"

static const char *source = "kernel void adds(global uint *words) { words[0] += 1; }\n";

/* Functions of their own, since messages name templates by them. */
static ocrGuid_t early(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(*(u32 *)depv[0].ptr, 4);
    CHECK_EQ(stats.kernelEdts, 2);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, first = template_of(early, 0, 1), second = template_of(late, 0, 1);
    ocrGuid_t edts[4];
    OK(ocrEdtTemplateAddKernel(first, source, NULL, "adds", one_item, OCR_NO_RESULT));
    edts[0] = edt_of(second, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    OK(ocrEdtTemplateAddKernel(second, source, NULL, "adds", one_item, OCR_NO_RESULT));
    edts[1] = edt_of(second, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    edts[2] = edt_of(first, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    ocrGuid_t endless = kernel_of(source, "adds", 0, 1);
    OK(ocrEdtTemplateAddFunction(endless, early, "endless"));
    edts[3] = edt_of(endless, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    for (int i = 0; i < 4; i++) {
        link_to(block, edts[i], 0, DB_MODE_EW);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(1, 0, 0);
    in_scope(scope, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
