/*
 * Work-items: one to three dimensions, offsets, local sizes given and left to the runtime; a range
 * function sees parameters and block sizes. The arrays given with a task are copied.
 */
// clause: ocr-opencl.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel.h"

static const char *source = "__kernel void marks(uint width, uint height, __global uint *out) {\n"
                            "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
                            "    out[(z * height + y) * width + x] = 1 + get_local_size(0) * 100\n"
                            "        + get_global_offset(0) * 10000 + get_work_dim() * 1000000;\n"
                            "}\n";
enum { W = 16, H = 8, D = 4, CASES = 6 };

static const ocrNdRange_t ranges[CASES] = {
    {1, {0, 0, 0}, {W, 0, 0}, {0, 0, 0}},     {1, {3, 0, 0}, {8, 0, 0}, {4, 0, 0}},
    {2, {0, 0, 0}, {W, H, 0}, {2, 4, 0}},     {2, {4, 2, 0}, {8, 5, 0}, {0, 0, 0}},
    {3, {0, 0, 0}, {W, H, D}, {4, 2, 2}},     {3, {1, 2, 3}, {6, 4, 1}, {3, 1, 1}},
};

static void by_params(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    if (paramc == 2 && depc == 1 && depSizes[0] == W * H * D * sizeof(u32) && paramv[0] == W) {
        *range = ranges[4];
    }
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const ocrNdRange_t *range = &ranges[paramv[0]];
    for (size_t at = 0; at < W * H * D; at++) {
        size_t id[3] = {at % W, at / W % H, at / W / H};
        bool inside = true;
        for (u32 d = 0; d < 3; d++) {
            size_t first = d < range->workDim ? range->globalOffset[d] : 0,
                   size = d < range->workDim ? range->globalSize[d] : 1;
            inside = inside && id[d] >= first && id[d] < first + size;
        }
        u32 got = ((u32 *)depv[0].ptr)[at];
        if (!inside) {
            CHECK_EQ(got, 0);
            continue;
        }
        CHECK_EQ(got / 1000000, range->workDim);
        CHECK_EQ(got / 10000 % 100, range->globalOffset[0]);
        if (range->localSize[0] > 0) {
            CHECK_EQ(got / 100 % 100, range->localSize[0]);
        }
    }
    return NULL_GUID;
}

static ocrGuid_t not_here(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the C function ran though the policy is `device`");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel = kernel_of(source, "marks", 2, 1), both = template_of(not_here, 2, 1),
              last = end_after(CASES + 1);
    OK(ocrEdtTemplateAddKernel(both, source, NULL, "marks", by_params, OCR_NO_RESULT));
    for (u64 n = 0; n <= CASES; n++) {
        u64 params[] = {W, H}, which = n < CASES ? n : 4;
        ocrGuid_t block = words_block(W * H * D, 0, 0), output, ended, edt;
        if (n < CASES) {
            ocrNdRange_t range = ranges[n];
            const size_t *offset = range.globalOffset[0] ? range.globalOffset : NULL;
            const size_t *local = n == 0 ? NULL : range.localSize;
            OK(ocrOpenclTaskCreate(&edt, kernel, range.workDim, offset, range.globalSize, local, 2, params, 1, NULL,
                                   EDT_PROP_NONE, NULL_GUID, &output));
            memset(&range, 0xff, sizeof range);
        } else {
            edt = edt_of(both, 2, params, 1, NULL, EDT_PROP_NONE, &output);
        }
        ocrGuid_t check = spawn_with(checks, 1, &which, 2, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)n, DB_MODE_NULL);
        link_to(block, check, 0, DB_MODE_RO);
        link_to(output, check, 1, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(kernel));
    OK(ocrEdtTemplateDestroy(both));
    return NULL_GUID;
}
