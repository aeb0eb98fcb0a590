/*
 * A kernel that follows another is refused, since its index space cannot be: its C function runs after the
 * first kernel, on what that has left, and in the mode that was asked for.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel.h"

static const char *source =
    "__kernel void add(__global uint *words) { words[get_global_id(0)] += 1u; }\n"
    "__kernel void never(uint mode, __global uint *words) { words[get_global_id(0)] = mode; }\n";
enum { WORDS = 1000, EACH = 4 };

static ocrGuid_t no_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the C function ran though the kernel can run");
    return NULL_GUID;
}

static ocrGuid_t instead(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(depv[0].mode, paramv[0]);
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + 1);
    }
    return NULL_GUID;
}

static void too_large_groups(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    per_word(paramc, paramv, depc, depSizes, range);
    range->localSize[0] = 1 << 30;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const ocrDbAccessMode_t leads[] = {DB_MODE_RW, DB_MODE_EW};
    static const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
    ocrGuid_t add = template_of(no_function, 0, 1), refused = template_of(instead, 1, 1), output, ended;
    OK(ocrEdtTemplateAddKernel(add, source, NULL, "add", per_word, 0));
    OK(ocrEdtTemplateAddKernel(refused, source, NULL, "never", too_large_groups, OCR_NO_RESULT));
    ocrGuid_t end = end_after(2 * 4 * EACH);
    for (u32 i = 0; i < 2 * 4 * EACH; i++) {
        u64 mode = modes[i / 2 % 4];
        ocrGuid_t block = words_block(WORDS, 0, 1);
        ocrGuid_t first = edt_of(add, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
        ocrGuid_t second = edt_of(refused, 1, &mode, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, end, i, DB_MODE_NULL);
        link_to(output, second, 0, (ocrDbAccessMode_t)mode);
        link_to(block, first, 0, leads[i % 2]);
    }
    return NULL_GUID;
}
