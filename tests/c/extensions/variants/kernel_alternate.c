/*
 * An EW counter, incremented by EDTs with both variants under static:1:1, so that the block goes
 * back and forth between places; each increment counts, and both places had their share.
 */
// clause: ocr-variants.h ocr-stats.h
// needs: opencl
// env: OCR_SCHED=static:1:1
#include "kernel.h"

static const char *source = "__kernel void adds(__global uint *words) { words[0] += 1; words[1] += words[0]; }\n";
enum { EDTS = 1000 };

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 *words = (u32 *)depv[0].ptr;
    words[0] += 1;
    words[1] += words[0];
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(adds, 0, 1);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", one_item, OCR_NO_RESULT));
    for (int i = 0; i < EDTS; i++) {
        link_to(*(ocrGuid_t *)paramv, edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats;
    CHECK_EQ(((u32 *)depv[0].ptr)[0], EDTS);
    CHECK_EQ(((u32 *)depv[0].ptr)[1], EDTS * (EDTS + 1) / 2);
    CHECK_EQ(strcmp(ocrPolicyName(), "static:1:1"), 0);
    OK(ocrStatsGet(&stats));
    CHECK(stats.kernelEdts >= EDTS / 4 && stats.kernelEdts <= EDTS * 3 / 4);
    CHECK(stats.functionEdts >= EDTS / 4);
    CHECK(stats.devices >= 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(2, 0, 0);
    in_scope(all, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
