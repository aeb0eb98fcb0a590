/*
 * kernel_redundant.h - EDTs that OCR_REDUNDANT compares, for programs that say what it is. All kernels are right: with
 * blocks in each mode, one on two pre-slots, none on another, and a block that many EDTs share in mode RW. Functions
 * see the modes that were asked for, and run once each.
 */
#include "kernel.h"

enum { WORDS = 64, BLENDS = 24, PARTS = 16 };

static const char *source =
    "kernel void blend(ulong add, ulong mode, global uint *out, global const uint *in, global uint *none,\n"
    "                global const uint *same) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (none == 0 && mode != 0) out[i] += in[i] * 3 + add + same[i];\n"
    "}\n"
    "kernel void part(ulong first, global uint *words) { words[first + get_global_id(0)] += first + 1; }\n";

static ocrGuid_t blend(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 2);
    CHECK_EQ(depc, 4);
    CHECK_EQ(depv[0].mode, paramv[1]);
    CHECK_EQ(depv[1].mode, DB_MODE_RO);
    CHECK(depv[2].ptr == NULL);
    u32 *out = depv[0].ptr;
    const u32 *in = depv[1].ptr, *same = depv[3].ptr;
    for (u32 i = 0; i < WORDS; i++)
        out[i] += in[i] * 3 + (u32)paramv[0] + same[i];
    return depv[0].guid;
}

static void one_part(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    range->workDim = 1;
    range->globalSize[0] = WORDS / PARTS;
}

static ocrGuid_t part(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(depv[0].mode, DB_MODE_RW);
    for (u32 i = 0; i < WORDS / PARTS; i++)
        ((u32 *)depv[0].ptr)[paramv[0] + i] += (u32)paramv[0] + 1;
    return NULL_GUID;
}

static ocrGuid_t checks_blend(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i * 4 + (u32)paramv[0]);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i / (WORDS / PARTS) * (WORDS / PARTS) + 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const ocrDbAccessMode_t modes[] = {DB_MODE_RW, DB_MODE_EW};
    ocrGuid_t blends, parts, last = spawn(done, 0, NULL, 1 + BLENDS + PARTS, NULL), output, ended;
    OK(ocrEdtTemplateCreate(&blends, blend, 2, 4));
    OK(ocrEdtTemplateAddKernel(blends, source, NULL, "blend", per_word, 0));
    OK(ocrEdtTemplateCreate(&parts, part, 1, 1));
    OK(ocrEdtTemplateAddKernel(parts, source, NULL, "part", one_part, OCR_NO_RESULT));
    ocrGuid_t in = words_block(WORDS, 0, 1), shared = words_block(WORDS, 0, 0);
    u32 slot = 1;
    for (u64 n = 0; n < BLENDS; n++) {
        u64 params[] = {n, modes[n % 2]};
        ocrGuid_t edt = edt_of(blends, 2, params, 4, NULL, EDT_PROP_NONE, &output);
        ocrGuid_t check = spawn_with(checks_blend, 1, &n, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, slot++, DB_MODE_NULL);
        link_to(output, check, 0, DB_MODE_RO);
        link_to(in, edt, 1, DB_MODE_RO);
        link_to(in, edt, 3, DB_MODE_RO);
        link_to(NULL_GUID, edt, 2, DB_MODE_NULL);
        link_to(words_block(WORDS, 0, 0), edt, 0, modes[n % 2]);
    }
    for (u64 n = 0; n < PARTS; n++) {
        u64 first = n * (WORDS / PARTS);
        ocrGuid_t edt = edt_of(parts, 1, &first, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, slot++, DB_MODE_NULL);
        link_to(shared, edt, 0, DB_MODE_RW);
    }
    link_to(shared, last, 0, DB_MODE_CONST);
    OK(ocrEdtTemplateDestroy(blends));
    OK(ocrEdtTemplateDestroy(parts));
    return NULL_GUID;
}
