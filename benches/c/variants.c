/* variants SHAPE SIZE FUNCTION_STEPS KERNEL_STEPS ROUNDS: EDTs whose C function and kernel take different times, to see
 * what a placement policy makes of them.
 *
 * Each EDT is a chain of the given number of multiplications on a data block of its own, as a function or as a kernel
 * of one work-item, and counts itself in the block. SHAPE is `independent`, SIZE EDTs that are ready at once, or
 * `wavefront`, SIZE x SIZE EDTs of which each waits for its neighbours above and to the left. ROUNDS times the whole,
 * one after the other, in a finish scope each.
 *
 * ns_N        from the first creation of round N to the end of its scope
 * kernels_N   how many of the EDTs of that round ran as kernels
 *
 * For one worker and a device of one unit, on more than two cores: OCR_WORKERS=1, and POCL_MAX_PTHREAD_COUNT=1 for
 * PoCL. */
#include "bench.h"
#include "variants.h"

#include <extensions/ocr-variants.h>
#include <string.h>

static u64 size, steps[2], rounds, edts;
static bool wavefront;
static ocrGuid_t computeTemplate, *block;
static double begin;
static u64 kernelsBefore, roundsDone;

static ocrGuid_t compute(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    variantsFunction(depv[0].ptr, paramv[0]);
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
    if (!wavefront) {
        for (u64 i = 0; i < edts; i++)
            MUST(ocrEdtCreate(NULL, computeTemplate, EDT_PARAM_DEF, steps, 1, &block[i], EDT_PROP_NONE, NULL_HINT,
                              NULL));
        return NULL_GUID;
    }
    ocrGuid_t *edt = malloc(edts * sizeof *edt), *done = malloc(edts * sizeof *done);
    EXPECT(edt != NULL && done != NULL);
    ocrGuid_t tile;
    MUST(ocrEdtTemplateCreate(&tile, compute, 2, 3));
    MUST(ocrEdtTemplateAddKernel(tile, variantsSource, NULL, "compute", oneItem, OCR_NO_RESULT));
    for (u64 i = 0; i < edts; i++)
        MUST(ocrEdtCreate(&edt[i], tile, EDT_PARAM_DEF, steps, 3, NULL, EDT_PROP_NONE, NULL_HINT, &done[i]));
    /* The last first, so that none begins before others wait for it. */
    for (u64 i = edts; i-- > 0;) {
        const u64 row = i / size, column = i % size;
        MUST(ocrAddDependence(row == 0 ? NULL_GUID : done[i - size], edt[i], 1, DB_MODE_NULL));
        MUST(ocrAddDependence(column == 0 ? NULL_GUID : done[i - 1], edt[i], 2, DB_MODE_NULL));
        MUST(ocrAddDependence(block[i], edt[i], 0, DB_MODE_RW));
    }
    MUST(ocrEdtTemplateDestroy(tile));
    free(edt), free(done);
    return NULL_GUID;
}

static ocrGuid_t check(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++)
        EXPECT(((u64 *)depv[i].ptr)[1] == rounds);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ns = now() - begin;
    UNUSED;
    char name[32];
    roundsDone++;
    snprintf(name, sizeof name, "ns_%" PRIu64, roundsDone);
    figure(name, ns);
    snprintf(name, sizeof name, "kernels_%" PRIu64, roundsDone);
    figure(name, (double)(kernels() - kernelsBefore));
    if (roundsDone == rounds) {
        MUST(ocrEdtCreate(NULL, template(check, 0, (u32)edts), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, block, EDT_PROP_NONE,
                          NULL_HINT, NULL));
        return NULL_GUID;
    }
    kernelsBefore = kernels();
    runScope(createAll, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    EXPECT(ocrGetArgc(depv[0].ptr) > 1);
    wavefront = strcmp(ocrGetArgv(depv[0].ptr, 1), "wavefront") == 0;
    size = sizeArgument(depv, 2, 16);
    steps[0] = sizeArgument(depv, 3, 1000000);
    steps[1] = sizeArgument(depv, 4, 1000000);
    rounds = sizeArgument(depv, 5, 2);
    edts = wavefront ? size * size : size;
    MUST(ocrEdtTemplateCreate(&computeTemplate, compute, 2, 1));
    MUST(ocrEdtTemplateAddKernel(computeTemplate, variantsSource, NULL, "compute", oneItem, OCR_NO_RESULT));
    block = malloc(edts * sizeof *block);
    EXPECT(block != NULL);
    for (u64 i = 0; i < edts; i++) {
        u64 *x;
        MUST(ocrDbCreate(&block[i], (void **)&x, VARIANTS_NUMBERS * sizeof *x, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        x[0] = x[1] = 0;
        MUST(ocrDbRelease(block[i]));
    }
    runScope(createAll, end);
    return NULL_GUID;
}
