/*
 * Where a CPU device is used beside functions, workers and the device get cores of their own, if OCR_WORKERS leaves
 * some. Otherwise all cores are the workers', as long as no kernel runs. Later EDTs run on the workers' cores, and
 * kernels run as before.
 */
// clause: process ocr-variants.h
// needs: opencl
#include "kernel_cores.h"

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < 64; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 2 * i);
    }
    if (paramv[0]) {
        expect_apart();
    } else {
        expect_shared();
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    cpu_set_t all = cores_of_process(), before;
    OK(sched_getaffinity(0, sizeof before, &before));
    CHECK(CPU_EQUAL(&before, &all));
    u64 apart = ocrNbWorkers() < (u64)CPU_COUNT(&all);
    ocrGuid_t tmpl = with_kernel(twice), output;
    if (apart) {
        expect_apart();
    }
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t last = spawn(looks, 1, &apart, 1, NULL);
    link_to(output, last, 0, DB_MODE_RO);
    link_to(words_block(64, 0, 1), edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
