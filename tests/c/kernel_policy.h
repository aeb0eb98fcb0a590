/* kernel_policy.h - the body of kernel_policy_*.c, which differ in the policy they run under. */
#include "kernel.h"

static const char *source = "__kernel void adds(__global uint *words) { words[0] += 1; }\n";
enum { EDTS = 200 };

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, tmpl = kernel_of(source, "adds", 0, 1);
    ocrGuid_t before = kernel_edt(tmpl, 1, 0, NULL, 1, NULL);
    OK(ocrEdtTemplateAddFunction(tmpl, adds, "adds"));
    for (int i = 0; i < EDTS; i++) {
        link_to(block, kernel_edt(tmpl, 1, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    }
    link_to(block, before, 0, DB_MODE_EW);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(*(u32 *)depv[0].ptr, EDTS + 1);
    CHECK_EQ(stats.kernelEdts, WANT_KERNELS);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(1, 0, 0);
    in_scope(scope, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
