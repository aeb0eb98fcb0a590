/* One template, two ways to do its work: a C function and an OpenCL kernel, with extensions/ocr-variants.h.
 *
 * Each of the blocks goes through a chain of EDTs. Where an EDT runs is the runtime's choice, by OCR_SCHED and
 * OCR_DEVICES; the result is the same everywhere. Without a device, or without the kernel's source, everything runs as
 * C functions. OCR_DEVICES=cpu lets a CPU device take part, OCR_SCHED=static:1:1 shares the EDTs out evenly.
 *
 * Prints where the EDTs ran, then: 64 blocks of 65536 elements times 3, 8 times: ok */
#define _POSIX_C_SOURCE 200809L

#include <ocr.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

#include "common/kernel-source.h"

#define BLOCKS   64u
#define ELEMENTS 65536u
#define FACTOR   3u
#define TIMES    8u

static ocrGuid_t scaleEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *elements = depv[0].ptr;
    for (u32 i = 0; i < ELEMENTS; i++)
        elements[i] *= (u32)paramv[0];
    return depv[0].guid; /* to the output event; for the kernel, resultSlot 0 says the same */
}

/* How many work-items the kernel needs, computed from the size of the block. */
static void scaleRange(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc;
    range->workDim = 1;
    range->globalSize[0] = depSizes[0] / sizeof(u32);
}

static ocrGuid_t checkEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    u32 power = 1;
    for (u32 k = 0; k < TIMES; k++)
        power *= FACTOR;
    for (u32 block = 0; block < depc; block++) {
        const u32 *elements = depv[block].ptr;
        for (u32 i = 0; i < ELEMENTS; i++) {
            if (elements[i] != (block + i) * power) {
                ocrPrintf("block %u, element %u is %u instead of %u\n", block, i, elements[i], (block + i) * power);
                ocrAbort(1);
                return NULL_GUID;
            }
        }
        ocrDbDestroy(depv[block].guid);
    }
    ocrStats_t stats = { 0 };
    ocrStatsGet(&stats);
    ocrPrintf("policy: %s, devices: %" PRIu64 "\n", ocrPolicyName(), stats.devices);
    ocrPrintf("EDTs as C functions: %" PRIu64 ", as kernels: %" PRIu64 "\n", stats.functionEdts, stats.kernelEdts);
    ocrPrintf("%u blocks of %u elements times %u, %u times: ok\n", BLOCKS, ELEMENTS, FACTOR, TIMES);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t scaleTemplate, checkTemplate, check;
    ocrEdtTemplateCreate(&scaleTemplate, scaleEdt, 1, 1);
    char *source = kernelSource("vector-scale.cl");
    if (source == NULL || ocrEdtTemplateAddKernel(scaleTemplate, source, NULL, "vector_scale", scaleRange, 0) != 0)
        fprintf(stderr, "vector-scale-variants: going on without the kernel\n");
    free(source);
    ocrEdtTemplateCreate(&checkTemplate, checkEdt, 0, BLOCKS);
    ocrEdtCreate(&check, checkTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);

    u64 factor = FACTOR;
    for (u32 b = 0; b < BLOCKS; b++) {
        ocrGuid_t block;
        void *ptr;
        ocrDbCreate(&block, &ptr, ELEMENTS * sizeof(u32), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        for (u32 i = 0; i < ELEMENTS; i++)
            ((u32 *)ptr)[i] = b + i;
        ocrDbRelease(block);

        /* From the end of the chain to its beginning, so that each EDT is connected before the one that feeds it. */
        ocrGuid_t next = check;
        u32 slot = b;
        for (u32 k = 0; k < TIMES; k++) {
            ocrGuid_t scale, done;
            ocrEdtCreate(&scale, scaleTemplate, EDT_PARAM_DEF, &factor, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                         NULL_HINT, &done);
            ocrAddDependence(done, next, slot, k == 0 ? DB_MODE_CONST : DB_MODE_EW);
            next = scale;
            slot = 0;
        }
        ocrAddDependence(block, next, 0, DB_MODE_EW);
    }
    ocrEdtTemplateDestroy(scaleTemplate);
    ocrEdtTemplateDestroy(checkTemplate);
    return NULL_GUID;
}
