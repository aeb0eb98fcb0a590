/*
 * The runtime chooses local sizes that the kernel permits, which OpenCL may not: the source demands one, or the global
 * size is odd, or prime. A global size that is no multiple of the one demanded is refused.
 */
// clause: ocr-variants.h
// needs: opencl
// workers: 2
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// stderr: the global size 63 of dimension 0 is no multiple of the local size 8, which its source demands
// stderr: its source demands work-groups of 4 x 2 x 2 work-items (reqd_work_group_size), and its range has 1 dimension
#include "kernel.h"

static const char source[] =
    "#define BODY { out[get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))]\\\n"
    "    = get_local_size(0) + 1000 * (get_local_size(1) + 1000 * get_local_size(2)); }\n"
    "__attribute__((reqd_work_group_size(8, 1, 1))) kernel void line(ulong x, ulong y, ulong z, global uint *out) BODY\n"
    "__attribute__((reqd_work_group_size(4, 2, 2))) kernel void cube(ulong x, ulong y, ulong z, global uint *out) BODY\n"
    "kernel void free_size(ulong x, ulong y, ulong z, global uint *out) BODY\n";

static const struct {
    const char *kernel;
    size_t sizes[3];
    u32 local[3]; /* 0: any that divides */
    bool function;
} cases[] = {
    {"line", {64, 1, 1}, {8, 1, 1}, false},
    {"line", {8, 5, 3}, {8, 1, 1}, false},
    {"line", {63, 1, 1}, {0}, true},
    {"cube", {16, 4, 6}, {4, 2, 2}, false},
    {"cube", {64, 0, 0}, {0}, true},
    {"free_size", {1, 1, 1}, {1, 1, 1}, false},
    {"free_size", {97, 1, 1}, {0}, false},
    {"free_size", {4099, 0, 0}, {0}, false},
    {"free_size", {10007, 3, 0}, {0}, false},
    {"free_size", {6, 35, 22}, {0}, false},
    {"free_size", {1 << 16, 1, 1}, {0}, false},
    {"free_size", {3, 5000, 7}, {0}, false},
};
#define CASES (sizeof cases / sizeof *cases)

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)depc, (void)sizes;
    for (int i = 0; i < 3; i++) {
        space->globalSize[i] = paramv[i];
        space->workDim += paramv[i] != 0;
    }
}

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 0;
    return depv[0].guid;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 n = 0; n < depc; n++) {
        const u32 *got = depv[n].ptr;
        const size_t *sizes = cases[n].sizes;
        if (cases[n].function) {
            CHECK_EQ(got[0], 0);
            continue;
        }
        const u32 local[3] = {got[0] % 1000000 % 1000, got[0] / 1000 % 1000, got[0] / 1000000};
        size_t items = 1;
        for (int i = 0; i < 3; i++) {
            const size_t size = sizes[i] ? sizes[i] : 1;
            items *= size;
            if (cases[n].local[0] != 0)
                CHECK_EQ(local[i], cases[n].local[i]);
        }
        for (size_t i = 0; i < items; i++)
            CHECK_EQ(got[i], got[0]);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t scope_blocks[CASES], outputs[CASES], edts[CASES];
    for (u32 n = 0; n < CASES; n++) {
        ocrGuid_t tmpl = template_of(function, 3, 1);
        u64 params[3], items = 1;
        for (int i = 0; i < 3; i++) {
            params[i] = cases[n].sizes[i];
            items *= params[i] ? params[i] : 1;
        }
        OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, cases[n].kernel, range, 0));
        edts[n] = edt_of(tmpl, 3, params, 1, NULL, EDT_PROP_NONE, &outputs[n]);
        scope_blocks[n] = bare_block(items * sizeof(u32));
        OK(ocrEdtTemplateDestroy(tmpl));
    }
    ocrGuid_t last = spawn(looks, 0, NULL, CASES, NULL);
    for (u32 n = 0; n < CASES; n++)
        link_to(outputs[n], last, n, DB_MODE_RO);
    for (u32 n = 0; n < CASES; n++)
        link_to(scope_blocks[n], edts[n], 0, DB_MODE_EW);
    return NULL_GUID;
}
