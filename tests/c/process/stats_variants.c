/*
 * Statistics say what templates with kernels ran as: how many EDTs, and where. Those of other templates are in the sums
 * alone. Strict mode changes nothing of that (the second line would be missing).
 */
// clause: process
// env: OCR_STATS=1
// env: OCR_SCHED=static:2:1
// env: OCR_CHECK=strict
// needs: opencl
// stderr: ocr: each worker had no EDT to run for
// stderr: ocr: increment: 4 EDTs as function,
// stderr: ocr: increment: 2 EDTs as kernel on
// stderr: : 2 kernels in
// stderr-without: ocr: end:
#include "check.h"
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

static const char source[] = "kernel void increment(global ulong *x) { x[get_global_id(0)] += 1; }";

static ocrGuid_t increment(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return depv[0].guid;
}

static void one(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    range->workDim = 1;
    range->globalSize[0] = 1;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats;
    CHECK_EQ(*(u64 *)depv[0].ptr, 6);
    OK(ocrStatsGet(&stats));
    CHECK_EQ(stats.kernelEdts, 2);
    ocrShutdown();
    return NULL_GUID;
}

/* A chain, so that the turns of the policy are those of the EDTs. */
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(increment, 0, 1), slot = UNINITIALIZED_GUID, first, before, block = block_with(0);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "increment", one, 0));
    first = edt_of(tmpl, 0, NULL, 1, &slot, EDT_PROP_NONE, &before);
    for (int i = 1; i < 6; i++) {
        ocrGuid_t output;
        edt_of(tmpl, 0, NULL, 1, &before, EDT_PROP_NONE, &output);
        before = output;
    }
    spawn(end, 0, NULL, 1, &before);
    link_to(block, first, 0, DB_MODE_RW);
    return NULL_GUID;
}
