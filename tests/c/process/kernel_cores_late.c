/*
 * Kernels without a function have the whole machine. When a kernel comes that has a function beside it, workers and
 * device part, though the device is in use already. The report says who has which cores in the end, and nothing else.
 */
// clause: process ocr-variants.h
// needs: opencl
// workers: 1
// env: OCR_STATS=1
// stderr: cores of their own
// stderr-without: for honest figures
#include "kernel_cores.h"

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < 64; i++) {
        CHECK_EQ(((u32 *)depv[1].ptr)[i], 2 * i);
    }
    expect_shared();
    with_kernel(twice);
    expect_apart();
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    ocrGuid_t output, edt = kernel_edt(with_kernel(NULL), 64, 0, NULL, 1, &output);
    ocrGuid_t last = spawn(looks, 0, NULL, 2, NULL), block = words_block(64, 0, 1);
    link_to(output, last, 0, DB_MODE_NULL);
    link_to(block, last, 1, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
