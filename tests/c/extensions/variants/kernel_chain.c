/*
 * 200 kernels in a row on one block that no host EDT touches before the last: each gets the block
 * from the output event of the one before, by its resultSlot.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel.h"

static const char *source =
    "__kernel void start(__global uint *words) { words[get_global_id(0)] = get_global_id(0); }\n"
    "__kernel void advance(uint k, __global uint *words) {\n"
    "    size_t i = get_global_id(0);\n"
    "    words[i] = words[i] * 3u + k;\n"
    "}\n";
enum { COUNT = 4096, STEPS = 200 };

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK(ocrGuidIsEq(depv[0].guid, *(ocrGuid_t *)paramv));
    for (u32 i = 0; i < COUNT; i++) {
        u32 want = i;
        for (u32 k = 0; k < STEPS; k++) {
            want = want * 3u + k;
        }
        CHECK_EQ(((u32 *)depv[0].ptr)[i], want);
    }
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t no_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the C function ran though the policy is `device`");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t start = template_of(no_function, 0, 1), step = template_of(no_function, 1, 1), output;
    OK(ocrEdtTemplateAddKernel(start, source, NULL, "start", per_word, 0));
    OK(ocrEdtTemplateAddKernel(step, source, "", "advance", per_word, 0));
    ocrGuid_t block = bare_block(COUNT * sizeof(u32));
    ocrGuid_t first = edt_of(start, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    for (u64 k = 0; k < STEPS; k++) {
        ocrGuid_t before = output, edt = edt_of(step, 1, &k, 1, NULL, EDT_PROP_NONE, &output);
        link_to(before, edt, 0, k % 2 ? DB_MODE_EW : DB_MODE_RW);
    }
    link_to(output, spawn(checks, 1, (u64 *)&block, 1, NULL), 0, DB_MODE_CONST);
    OK(ocrEdtTemplateDestroy(start));
    OK(ocrEdtTemplateDestroy(step));
    link_to(block, first, 0, DB_MODE_EW);
    return NULL_GUID;
}
