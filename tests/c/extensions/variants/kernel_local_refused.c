/* Local sizes that a kernel or its device does not permit are refused by the name of the limit; C functions run
 * instead. */
// clause: ocr-variants.h
// needs: opencl
// workers: 2
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// stderr: its local size 268435456 has 268435456 work-items in dimension 0, and this device permits
// stderr: (CL_DEVICE_MAX_WORK_ITEM_SIZES)
// stderr: the global size 100 of dimension 0 is no multiple of the local size 7
// stderr: its local size 4 x 0 is 0 in dimension 1, and not in dimension 0
// stderr: its source demands work-groups of 8 x 1 x 1 work-items (reqd_work_group_size), and its range has 1 dimension with a local size of 4
// stderr: WORK_GROUP_SIZE
#include "kernel.h"

static const char source[] =
    "kernel void free_size(ulong n, global uint *out) { out[0] = 1; }\n"
    "__attribute__((reqd_work_group_size(8, 1, 1))) kernel void eight(ulong n, global uint *out) { out[0] = 1; }\n";

static const struct {
    const char *kernel;
    u32 dims;
    size_t global[3], local[3];
} cases[] = {
    {"free_size", 1, {1 << 28}, {1 << 28}},
    {"free_size", 1, {100}, {7}},
    {"free_size", 2, {8, 8}, {4, 0}},
    {"eight", 1, {64}, {4}},
    {"free_size", 2, {1 << 10, 1 << 10}, {1 << 10, 1 << 10}}, /* too many together, and in none */
};
#define CASES (sizeof cases / sizeof *cases)

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)depc, (void)sizes;
    space->workDim = cases[paramv[0]].dims;
    memcpy(space->globalSize, cases[paramv[0]].global, sizeof space->globalSize);
    memcpy(space->localSize, cases[paramv[0]].local, sizeof space->localSize);
}

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 5;
    return depv[0].guid;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 n = 0; n < depc; n++)
        CHECK_EQ(*(u32 *)depv[n].ptr, 12);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = spawn(looks, 0, NULL, CASES, NULL);
    for (u64 n = 0; n < CASES; n++) {
        ocrGuid_t tmpl = template_of(function, 1, 1), output;
        OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, cases[n].kernel, range, 0));
        ocrGuid_t edt = edt_of(tmpl, 1, &n, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, n, DB_MODE_RO);
        link_to(words_block(1, 7, 0), edt, 0, DB_MODE_EW);
        OK(ocrEdtTemplateDestroy(tmpl));
    }
    return NULL_GUID;
}
