/*
 * Kernel EDTs in finish scopes: a scope ends after its kernels; a kernel EDT may be a finish EDT
 * itself, whose output fires when the kernel has ended; an EDT waiting for a kernel never starts
 * when that kernel is destroyed before it could run.
 */
// clause: 1.4.2 ocr-opencl.h
// needs: opencl
#include "kernel.h"

static const char *source = "__kernel void adds(__global uint *words) { words[get_global_id(0)] += 1; }\n";
enum { COUNT = 1000, EDTS = 50 };

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran after a kernel that was destroyed");
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, kernel = kernel_of(source, "adds", 0, 1), output, edt;
    size_t size = COUNT;
    for (int i = 0; i < EDTS; i++) {
        u16 props = i % 2 ? EDT_PROP_FINISH : EDT_PROP_NONE;
        OK(ocrOpenclTaskCreate(&edt, kernel, 1, NULL, &size, NULL, 0, NULL, 1, NULL, props, NULL_GUID, &output));
        if (i % 10 == 9) {
            ocrGuid_t waits = spawn(never, 0, NULL, 1, &output);
            OK(ocrEdtDestroy(edt));
            OK(ocrEdtDestroy(waits));
        } else {
            link_to(block, edt, 0, DB_MODE_EW);
        }
    }
    /* Anonymous, with its block given at creation. */
    OK(ocrOpenclTaskCreate(NULL, kernel, 1, NULL, &size, NULL, 0, NULL, 1, &block, EDT_PROP_NONE, NULL_GUID, NULL));
    OK(ocrEdtTemplateDestroy(kernel));
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], EDTS - EDTS / 10 + 1);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(COUNT, 0, 0);
    in_scope(scope, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
