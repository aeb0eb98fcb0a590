/* The function of a duplicate crashes: the kernel goes on alone. */
// clause: ocr-variants.h
// needs: opencl
// workers: 1
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_STATS=1
// needs: signals
// env: OCR_DUPLICATES=1
// stderr: 1 EDTs whose functions workers have called while their kernels ran (OCR_DUPLICATES)
// stderr-without: ended before
// stderr: no further duplicates are made of EDTs of works (OCR_DUPLICATES), since the function has crashed
#include "kernel_duplicate.h"

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    do_it(depv);
    if (atomic_fetch_add(&calls, 1) == EDTS - 1) {
        volatile u64 *nowhere = NULL;
        *nowhere = 1;
    }
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(atomic_load(&calls), EDTS);
    u64 by_kernel = 0;
    for (u64 i = 0; i < EDTS; i++)
        by_kernel += ran_by(depv[i], i) == BY_KERNEL;
    CHECK_EQ(by_kernel, 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    ocrGuid_t after = spawn(checks, 0, NULL, 2 * EDTS, NULL);
    create(works, long_time, after, DB_MODE_RW, NULL_HINT);
    return NULL_GUID;
}
