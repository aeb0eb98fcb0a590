/*
 * ocrEdtTemplateAddKernel: the last pre-slots of an EDT that only order it behind others need no argument of its
 * kernel, however they come to have no block: NULL_GUID, an event that carries nothing, or mode DB_MODE_NULL.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
#include "kernel.h"

static const char *source = "kernel void adds(ulong by, global ulong *x) { x[0] += by; }"
                            "kernel void counts(ulong by) { }"
                            "kernel void nothing(void) { }";
static const u32 shapes[] = {4, EDT_PARAM_UNK};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    ocrStats_t stats;
    for (u32 i = 0; i < depc; i += 2)
        CHECK_EQ(number_in(depv[i]), 12);
    OK(ocrStatsGet(&stats));
    CHECK_EQ(stats.kernelEdts, SHAPES);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t before(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 2;
    return depv[0].guid;
}

static ocrGuid_t by_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"runs on the device");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = spawn(end, 0, NULL, 2 * SHAPES, NULL);
    u64 nine = 9;
    for (u32 i = 0; i < SHAPES; i++) {
        ocrGuid_t tmpl = template_of(by_function, shapes[i] == EDT_PARAM_UNK ? EDT_PARAM_UNK : 1, shapes[i]);
        ocrGuid_t added, ran, edt, block = block_with(1);
        OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", one_item, 0));
        OK(ocrEdtCreate(&edt, tmpl, 1, &nine, 4, NULL, EDT_PROP_NONE, NULL_HINT, &ran));
        OK(ocrEdtTemplateDestroy(tmpl));
        ocrGuid_t first = spawn_with(before, 0, NULL, 1, NULL, EDT_PROP_NONE, &added);
        link_to(ran, last, 2 * i + 1, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_RW);
        link_to(added, edt, 1, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 2, DB_MODE_RO);
        link_to(block_with(5), edt, 3, DB_MODE_NULL);
        link_to(block, last, 2 * i, DB_MODE_CONST);
        link_to(block, first, 0, DB_MODE_RW);
    }
    /* No argument but for the parameter, or none at all. More pre-slots than arguments, never fewer; and parameters
     * always have one. */
    static const struct {
        const char *kernel;
        u32 paramc, depc;
        u8 status;
    } of[] = {{"counts", 1, 3, 0}, {"counts", 1, 0, 0}, {"nothing", 0, 2, 0}, {"counts", 2, 2, OCR_EINVAL},
              {"nothing", 1, 1, OCR_EINVAL}, {"adds", 1, 0, OCR_EINVAL}, {"adds", 2, 1, OCR_EINVAL}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ocrGuid_t tmpl = template_of(by_function, of[i].paramc, of[i].depc);
        REFUSED(of[i].status, ocrEdtTemplateAddKernel(tmpl, source, NULL, of[i].kernel, one_item, OCR_NO_RESULT));
        OK(ocrEdtTemplateDestroy(tmpl));
    }
    return NULL_GUID;
}
