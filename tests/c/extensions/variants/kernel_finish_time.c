/*
 * A finish EDT whose function creates the EDTs that do the work has as its time that of its whole scope: under "eft" a
 * quick kernel gets most of a chain, though the function itself returns sooner than the kernel.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=eft
#include "kernel.h"

enum { WORDS = 64, EDTS = 60, PARTS = 4 };

static const char *source = "__kernel void add(__global uint *words) {\n"
                            "    words[get_global_id(0)] += 1;\n"
                            "}\n";

/* A part of the work of an EDT: three milliseconds, and its share of the words. */
static ocrGuid_t part(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    busy_by(CLOCK_MONOTONIC, 3000000);
    for (u32 i = 0; i < WORDS / PARTS; i++)
        ((u32 *)depv[0].ptr)[paramv[0] * WORDS / PARTS + i] += 1;
    return NULL_GUID;
}

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u64 i = 0; i < PARTS; i++) {
        ocrGuid_t edt = spawn(part, 1, &i, 1, NULL);
        link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    }
    return NULL_GUID;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], EDTS);
    ocrStats_t stats = { 0 };
    ocrStatsGet(&stats);
    CHECK(stats.kernelEdts > EDTS / 2);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t both = template_of(function, 0, 2), block = words_block(WORDS, 0, 0);
    ocrGuid_t before = NULL_GUID, first = NULL_GUID;
    OK(ocrEdtTemplateAddKernel(both, source, NULL, "add", per_word, OCR_NO_RESULT));
    for (u32 i = 0; i < EDTS; i++) {
        ocrGuid_t edt, ended;
        OK(ocrEdtCreate(&edt, both, 0, NULL, 2, NULL, EDT_PROP_FINISH, NULL_HINT, &ended));
        link_to(block, edt, 0, DB_MODE_RW);
        if (i == 0)
            first = edt;
        else
            link_to(before, edt, 1, DB_MODE_NULL);
        before = ended;
    }
    ocrGuid_t slots[] = {block, before};
    spawn(done, 0, NULL, 2, slots);
    link_to(NULL_GUID, first, 1, DB_MODE_NULL);
    return NULL_GUID;
}
