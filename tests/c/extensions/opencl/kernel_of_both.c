/* A template of ocrOpenclTemplateCreate that gets another kernel: EDTs of ocrEdtCreate run the one that says its
 * work-items. */
// clause: ocr-opencl.h ocr-variants.h
// needs: opencl
#include "kernel.h"
#include <extensions/ocr-opencl.h>
#include <extensions/ocr-variants.h>

enum { NUMBERS = 8 };

static const char *source = "kernel void k(global ulong *numbers) { numbers[get_global_id(0)] = 7; }";

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc;
    space->workDim = 1;
    space->globalSize[0] = sizes[0] / sizeof(u64);
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (int i = 0; i < NUMBERS; i++)
        CHECK_EQ(((u64 *)depv[0].ptr)[i], 7);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, output, block;
    void *place;
    OK(ocrOpenclTemplateCreate(&tmpl, source, NULL, "k", 0, 1, "k"));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "k", range, 0));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &output));
    spawn(looks, 0, NULL, 1, &output);
    OK(ocrDbCreate(&block, &place, NUMBERS * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(place, 0, NUMBERS * sizeof(u64));
    OK(ocrDbRelease(block));
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
