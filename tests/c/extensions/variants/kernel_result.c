/*
 * resultSlot: the block of that slot goes to the output event, whichever slot it is; none with
 * OCR_NO_RESULT, nor from a slot without a block.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel.h"

static const char *source = "__kernel void adds(__global ulong *a, __global ulong *b, __global ulong *c) {\n"
                            "    if (a) a[0] += 1;\n"
                            "    if (b) b[0] += 2;\n"
                            "    if (c) c[0] += 3;\n"
                            "}\n";

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] == 0) {
        CHECK(ocrGuidIsNull(depv[0].guid) && depv[0].ptr == NULL);
    } else {
        CHECK_EQ(number_in(depv[0]), paramv[0]);
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
    ocrGuid_t last = end_after(5);
    for (u32 n = 0; n < 5; n++) {
        /* 0, 1, 2: that slot; 3: none; 4: slot 1, which is empty */
        ocrGuid_t tmpl, output, ended;
        tmpl = template_of(not_here, 0, 3);
        OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", one_item, n < 3 ? n : n == 3 ? OCR_NO_RESULT : 1));
        ocrGuid_t edt = edt_of(tmpl, 0, NULL, 3, NULL, EDT_PROP_NONE, &output);
        u64 want = n < 3 ? 11 * (n + 1) : 0;
        ocrGuid_t check = spawn_with(checks, 1, &want, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, n, DB_MODE_NULL);
        link_to(output, check, 0, DB_MODE_RO);
        for (u32 slot = 0; slot < 3; slot++) {
            link_to(n == 4 && slot == 1 ? NULL_GUID : block_with(10 * (slot + 1)), edt, slot, DB_MODE_EW);
        }
        OK(ocrEdtTemplateDestroy(tmpl));
    }
    return NULL_GUID;
}
