/*
 * kernel_redundant_wrong.h - kernels with planted faults, for programs that say what OCR_REDUNDANT is: one forgets a
 * word, one writes to blocks that it only reads, one passes on another block, one is right and its function writes to a
 * block that it only reads. The program goes on with what the functions have left.
 */
#include "kernel.h"

enum { WORDS = 64, FORGETS = 5 };

static const char *source =
    "kernel void forgets(global uint *out) { size_t i = get_global_id(0); if (i != 63) out[i] = i + 256; }\n"
    "kernel void writes(global uint *out, global uint *in, global uint *seen) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i];\n"
    "    if (i == 8) in[i] = seen[i] = 7;\n"
    "}\n"
    "kernel void passes(global uint *out, global uint *other) { size_t i = get_global_id(0); out[i] = other[i] = i; }\n"
    "kernel void right(global const uint *in, global uint *out) { size_t i = get_global_id(0); out[i] = in[i]; }\n";

static ocrGuid_t forgets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[0].ptr)[i] = i + 256;
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memcpy(depv[0].ptr, depv[1].ptr, WORDS * sizeof(u32));
    return NULL_GUID;
}

static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[0].ptr)[i] = ((u32 *)depv[1].ptr)[i] = i;
    return depv[0].guid;
}

static ocrGuid_t right(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memcpy(depv[1].ptr, depv[0].ptr, WORDS * sizeof(u32));
    ((u32 *)depv[0].ptr)[2] = 9;
    return NULL_GUID;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + 256);
        CHECK_EQ(((u32 *)depv[1].ptr)[i], i);
        CHECK_EQ(((u32 *)depv[2].ptr)[i], i);
        CHECK_EQ(((u32 *)depv[3].ptr)[i], i);
    }
    puts("all is as the functions have left it");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t variants(const char *kernel, ocrGuid_t tmpl, u32 result) {
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, kernel, per_word, result));
    return tmpl;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t forgetting, writing, passing, rights, out[5], in = words_block(WORDS, 0, 1),
              seen = words_block(WORDS, 0, 0);
    OK(ocrEdtTemplateCreate(&forgetting, forgets, 0, 2));
    OK(ocrEdtTemplateCreate(&writing, writes, 0, 4));
    OK(ocrEdtTemplateCreate(&passing, passes, 0, 3));
    OK(ocrEdtTemplateCreate(&rights, right, 0, 3));
    for (int i = 0; i < 5; i++)
        out[i] = words_block(WORDS, 0, 0);
    ocrGuid_t last = spawn(done, 0, NULL, 5, NULL), before = NULL_GUID, edt, output;
    variants("forgets", forgetting, OCR_NO_RESULT);
    for (int i = 0; i < FORGETS; i++) {
        edt = edt_of(forgetting, 0, NULL, 2, NULL, EDT_PROP_NONE, &output);
        ocrGuid_t ended = event_of(OCR_EVENT_STICKY_T);
        link_to(output, ended, 0, DB_MODE_NULL);
        link_to(i == 1 ? out[0] : words_block(WORDS, 0, 0), edt, 0, DB_MODE_RW);
        link_to(before, edt, 1, DB_MODE_NULL);
        before = ended;
    }
    edt = edt_of(variants("writes", writing, OCR_NO_RESULT), 0, NULL, 4, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t written = event_of(OCR_EVENT_STICKY_T);
    link_to(output, written, 0, DB_MODE_NULL);
    link_to(in, edt, 1, DB_MODE_CONST);
    link_to(seen, edt, 2, DB_MODE_RO);
    link_to(out[1], edt, 0, DB_MODE_EW);
    link_to(before, edt, 3, DB_MODE_NULL);
    edt = edt_of(variants("passes", passing, 1), 0, NULL, 3, NULL, EDT_PROP_NONE, &output);
    link_to(output, last, 2, DB_MODE_RO);
    link_to(out[2], edt, 0, DB_MODE_EW);
    link_to(out[4], edt, 1, DB_MODE_EW);
    link_to(written, edt, 2, DB_MODE_NULL);
    edt = edt_of(variants("right", rights, OCR_NO_RESULT), 0, NULL, 3, NULL, EDT_PROP_NONE, &output);
    link_to(output, last, 4, DB_MODE_NULL);
    link_to(in, edt, 0, DB_MODE_RO);
    link_to(out[3], edt, 1, DB_MODE_EW);
    link_to(written, edt, 2, DB_MODE_NULL);
    link_to(out[0], last, 0, DB_MODE_CONST);
    link_to(out[1], last, 1, DB_MODE_CONST);
    link_to(out[3], last, 3, DB_MODE_CONST);
    return NULL_GUID;
}
