/*
 * The last pre-slots of a kernel EDT that only order it behind others need no argument of the kernel, as in OCR-Vx.
 */
// clause: ocr-opencl.h
// needs: opencl
#include "check.h"
#include <extensions/ocr-opencl.h>

static const char source[] = "kernel void add(global ulong *x) { x[0] += 1; }"
                             "kernel void multiply(uint by, global ulong *x) { x[0] *= by; }";
static const size_t one = 1;
static const u32 counts[] = {3, 1, EDT_PARAM_UNK};
enum { TEMPLATES = sizeof counts / sizeof counts[0] };

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    /* x -> 5 (x + 1), once by each template. */
    for (u32 i = 0; i < depc; i += 2)
        CHECK_EQ(*(u64 *)depv[i].ptr, 10);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t add, first[TEMPLATES], slots[2 * TEMPLATES];
    u64 five = 5;
    OK(ocrOpenclTemplateCreate(&add, source, NULL, "add", 0, 1, NULL));
    for (u32 i = 0; i < TEMPLATES; i++) {
        ocrGuid_t multiply, second, added, waits[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID, NULL_GUID};
        slots[2 * i] = block_with(1);
        OK(ocrOpenclTemplateCreate(&multiply, source, NULL, "multiply", 1, counts[i], NULL));
        OK(ocrOpenclTaskCreate(&first[i], add, 1, NULL, &one, NULL, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_GUID,
                               &added));
        OK(ocrOpenclTaskCreate(&second, multiply, 1, NULL, &one, NULL, 1, &five, 3, waits, EDT_PROP_NONE, NULL_GUID,
                               &slots[2 * i + 1]));
        link_to(added, second, 1, DB_MODE_NULL);
        link_to(slots[2 * i], second, 0, DB_MODE_EW);
    }
    /* Before an output event goes with its EDT, and the first kernels can run. */
    ocrGuid_t last, open[2 * TEMPLATES];
    for (u32 i = 0; i < TEMPLATES; i++) {
        open[2 * i] = UNINITIALIZED_GUID;
        open[2 * i + 1] = slots[2 * i + 1];
    }
    last = spawn(end, 0, NULL, 2 * TEMPLATES, open);
    for (u32 i = 0; i < TEMPLATES; i++) {
        link_to(slots[2 * i], last, 2 * i, DB_MODE_RO);
        link_to(slots[2 * i], first[i], 0, DB_MODE_EW);
    }
    /* More arguments than pre-slots, fewer than parameters. */
    ocrGuid_t none;
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&none, source, NULL, "multiply", 1, 0, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&none, source, NULL, "multiply", 3, 0, NULL));
    return NULL_GUID;
}
