/* placement EDTS STEPS: independent EDTs that a C function and a kernel do in about the same time, to see what a
 * placement policy makes of workers and devices.
 *
 * Each EDT is a chain of STEPS multiplications, as a function or as a kernel of one work-item, on a data block of its
 * own. They are created by one EDT in one finish scope, twice: the first time, the runtime knows nothing of the kernel.
 *
 * ns_first, ns_again          from the first creation to the end of the scope, the first time and the second
 * kernels_first, kernels_again  how many of the EDTs ran as kernels
 *
 * Run with OCR_WORKERS=1, and POCL_MAX_PTHREAD_COUNT=1 if the device is PoCL's. Without a device all run as
 * functions. */
#include "bench.h"

#include <extensions/ocr-variants.h>

static const char source[] =
    "__kernel void compute(ulong steps, __global ulong *x) {\n"
    "    ulong v = x[0];\n"
    "    for (ulong i = 0; i < steps; i++)\n"
    "        v = v * 6364136223846793005UL + 1442695040888963407UL;\n"
    "    x[0] = v;\n"
    "}\n";

static u64 edts, steps;
static ocrGuid_t computeTemplate, *block;
static double begin;
static u64 kernelsBefore;
static bool again;

static ocrGuid_t compute(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *x = depv[0].ptr, v = *x;
    for (u64 i = 0; i < paramv[0]; i++)
        v = v * 6364136223846793005 + 1442695040888963407;
    *x = v;
    return NULL_GUID;
}

static void oneItem(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = 1;
}

static u64 kernels(void) {
    ocrStats_t stats;
    MUST(ocrStatsGet(&stats));
    return stats.kernelEdts;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    begin = now();
    for (u64 i = 0; i < edts; i++)
        MUST(ocrEdtCreate(NULL, computeTemplate, EDT_PARAM_DEF, &steps, EDT_PARAM_DEF, &block[i], EDT_PROP_NONE,
                          NULL_HINT, NULL));
    return NULL_GUID;
}

/* What every block holds at the end: x -> a x + b, so often. */
static u64 expected(u64 times) {
    u64 a = 6364136223846793005, b = 1442695040888963407, x = 0;
    for (; times != 0; times >>= 1) {
        if (times & 1)
            x = a * x + b;
        b += a * b;
        a *= a;
    }
    return x;
}

static ocrGuid_t check(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    const u64 value = expected(2 * steps);
    for (u32 i = 0; i < depc; i++)
        EXPECT(*(u64 *)depv[i].ptr == value);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ns = now() - begin;
    UNUSED;
    figure(again ? "ns_again" : "ns_first", ns);
    figure(again ? "kernels_again" : "kernels_first", (double)(kernels() - kernelsBefore));
    if (again) {
        MUST(ocrEdtCreate(NULL, template(check, 0, (u32)edts), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, block, EDT_PROP_NONE,
                          NULL_HINT, NULL));
        return NULL_GUID;
    }
    again = true;
    kernelsBefore = kernels();
    runScope(createAll, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 4);
    steps = sizeArgument(depv, 2, 1000000);
    computeTemplate = template(compute, 1, 1);
    MUST(ocrEdtTemplateAddKernel(computeTemplate, source, NULL, "compute", oneItem, OCR_NO_RESULT));
    block = malloc(edts * sizeof *block);
    EXPECT(block != NULL);
    for (u64 i = 0; i < edts; i++) {
        u64 *x;
        MUST(ocrDbCreate(&block[i], (void **)&x, sizeof *x, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        *x = 0;
        MUST(ocrDbRelease(block[i]));
    }
    runScope(createAll, end);
    return NULL_GUID;
}
