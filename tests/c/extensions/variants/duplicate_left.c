/* The function of a duplicate creates an event, which it cannot do before it counts: it is left, and the kernel goes on
 * alone. */
// clause: ocr-variants.h
// needs: opencl
// workers: 1
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_STATS=1
// env: OCR_DUPLICATES=1
// stderr: 1 EDTs whose functions workers have called while their kernels ran (OCR_DUPLICATES)
// stderr-without: ended before
// stderr: no further duplicates are made of EDTs of works (OCR_DUPLICATES), since the function calls ocrEventCreate
#include "kernel_duplicate.h"

static atomic_int behind;

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    atomic_fetch_add(&calls, 1);
    do_it(depv);
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventDestroy(event));
    atomic_fetch_add(&behind, 1);
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(atomic_load(&calls), EDTS);
    CHECK_EQ(atomic_load(&behind), EDTS - 1);
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
