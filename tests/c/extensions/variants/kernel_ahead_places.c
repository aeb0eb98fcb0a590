/*
 * Where there are two devices, a chain stays on one of them, whether its kernels are enqueued ahead or not:
 * those that are ahead do not make it look busy. (PoCL shows the cores as two devices if it is asked to.)
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// env: POCL_DEVICES=pthread basic
#include "kernel.h"
#include <extensions/ocr-affinity.h>

enum { WORDS = 1000, STEPS = 100 };

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + STEPS);
    }
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(stats.kernelsAhead, STEPS - 1);
    CHECK_EQ(stats.bytesToDevices, WORDS * sizeof(u32));
    CHECK_EQ(stats.bytesFromDevices, WORDS * sizeof(u32));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(looks, 0, 1), block = words_block(WORDS, 0, 1), first = NULL_GUID, output = NULL_GUID;
    u64 devices;
    OK(ocrAffinityCount(AFFINITY_OCL, &devices));
    if (devices < 2) {
        NOT_RUN("there is one OpenCL device, and the test takes two");
    }
    OK(ocrEdtTemplateAddKernel(tmpl, "__kernel void add(__global uint *words) { words[get_global_id(0)] += 1u; }", NULL,
                               "add", per_word, 0));
    for (int i = 0; i < STEPS; i++) {
        ocrGuid_t before = output, edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
        if (i == 0) {
            first = edt;
        } else {
            link_to(before, edt, 0, DB_MODE_EW);
        }
    }
    link_to(output, spawn(looks, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    link_to(block, first, 0, DB_MODE_EW);
    return NULL_GUID;
}
