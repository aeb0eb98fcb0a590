/* kernel.h - what the programs share that launch OpenCL kernels. */
#ifndef KERNEL_H
#define KERNEL_H

#include "check.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-opencl.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

/* One work-item for each 32-bit word of the first block. */
static inline void per_word(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv;
    range->workDim = 1;
    range->globalSize[0] = depc > 0 ? depSizes[0] / sizeof(u32) : 1;
}

static inline void one_item(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = 1;
}

/* A template whose only variant is this kernel. */
static inline ocrGuid_t kernel_of(const char *source, const char *kernel, u32 paramc, u32 depc) {
    ocrGuid_t guid;
    OK(ocrOpenclTemplateCreate(&guid, source, NULL, kernel, paramc, depc, NULL));
    CHECK(!ocrGuidIsNull(guid));
    return guid;
}

/* An EDT for the kernel with `items` work-items; its pre-slots are open. */
static inline ocrGuid_t kernel_edt(ocrGuid_t tmpl, size_t items, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *output) {
    ocrGuid_t guid;
    OK(ocrOpenclTaskCreate(&guid, tmpl, 1, NULL, &items, NULL, paramc, paramv, depc, NULL, EDT_PROP_NONE, NULL_GUID,
                           output));
    return guid;
}

static inline ocrGuid_t words_block(u32 count, u32 first, u32 step) {
    void *addr;
    ocrGuid_t guid = block_of(count * sizeof(u32), &addr);
    for (u32 i = 0; i < count; i++) {
        ((u32 *)addr)[i] = first + i * step;
    }
    OK(ocrDbRelease(guid));
    return guid;
}

/* A block that no EDT has acquired; only EDTs that come later give it contents. */
static inline ocrGuid_t bare_block(u64 size) {
    ocrGuid_t guid;
    void *addr;
    OK(ocrDbCreate(&guid, &addr, size, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    CHECK(addr == NULL);
    return guid;
}

/* Runs scope as a finish EDT with param, then after with the same param and block (RW) on slot 0. */
static inline void in_scope(ocrEdt_t scope, ocrEdt_t after, u64 param, ocrGuid_t block) {
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(scope, 1, &param, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {block, done};
    spawn(after, 1, &param, 2, slots);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
}

/* For programs with OCR_DEVICES=cpu: a machine with a GPU alone has no such device. */
static inline void needs_cpu_device(void) {
    u64 devices = 0;
    OK(ocrAffinityCount(AFFINITY_OCL, &devices));
    if (devices == 0) {
        NOT_RUN("no OpenCL device is a CPU");
    }
}

#endif
