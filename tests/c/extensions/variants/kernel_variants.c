/*
 * One template, a C function and two kernels: 600 EDTs of three sizes, placed by the default policy.
 * Whatever was chosen, each ran once and gave the same numbers.
 */
// clause: ocr-variants.h
// needs: opencl
#include "kernel.h"

static const char *source = "__kernel void a(uint add, __global uint *out, __global const uint *in) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    out[i] += in[i] * in[i] + add;\n"
                            "}\n"
                            "__kernel void b(uint add, __global uint *out, __global const uint *in) {\n"
                            "    for (size_t i = get_global_id(0); i < get_global_size(0); i += get_global_size(0))\n"
                            "        out[i] += mad24(in[i], in[i], add);\n"
                            "}\n";

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *out = (u32 *)depv[0].ptr;
    const u32 *in = (const u32 *)depv[1].ptr;
    /* the sizes of this program tell how many words there are */
    for (u32 i = 0; i < (64u << paramv[0] % 3 * 4); i++) {
        out[i] += in[i] * in[i] + (u32)paramv[0];
    }
    return depv[0].guid;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < (64u << paramv[0] % 3 * 4); i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 1000 + i % 1000 + i % 1000 * (i % 1000) + (u32)paramv[0]);
    }
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { EDTS = 600 };
    ocrGuid_t tmpl = template_of(function, 1, 2), last = end_after(EDTS), inputs[3], output, ended;
    OK(ocrEdtTemplateAddKernel(tmpl, source, "-cl-mad-enable", "a", per_word, 0));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "b", per_word, 0));
    for (u64 k = 0; k < 3; k++) {
        u32 count = 64u << k * 4;
        void *addr;
        inputs[k] = block_of(count * sizeof(u32), &addr);
        for (u32 i = 0; i < count; i++) {
            ((u32 *)addr)[i] = i % 1000;
        }
        OK(ocrDbRelease(inputs[k]));
    }
    for (u64 n = 0; n < EDTS; n++) {
        u32 count = 64u << n % 3 * 4;
        void *addr;
        ocrGuid_t block = block_of(count * sizeof(u32), &addr);
        for (u32 i = 0; i < count; i++) {
            ((u32 *)addr)[i] = 1000 + i % 1000;
        }
        OK(ocrDbRelease(block));
        ocrGuid_t edt = edt_of(tmpl, 1, &n, 2, NULL, EDT_PROP_NONE, &output);
        ocrGuid_t check = spawn_with(checks, 1, &n, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)n, DB_MODE_NULL);
        link_to(output, check, 0, DB_MODE_RO);
        link_to(inputs[n % 3], edt, 1, n % 2 ? DB_MODE_CONST : DB_MODE_RO);
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
