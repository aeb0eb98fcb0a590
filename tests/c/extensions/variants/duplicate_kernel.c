/* The kernel ends before the function of its duplicate, which is in vain: nothing of it is seen. */
// clause: ocr-variants.h
// needs: opencl
// workers: 1
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_STATS=1
// env: OCR_DUPLICATES=1
// stderr: 1 EDTs whose functions workers have called while their kernels ran (OCR_DUPLICATES)
// stderr: 1 of these, EDTs whose kernels ended before their functions
// stdout-lines: 4 the function of an EDT has run
#include "kernel_duplicate.h"
#include <pthread.h>

static atomic_bool has_kernel_ended;

/* Sees that a kernel has ended, as no EDT can while the only worker is in the function. */
static void *look(void *unused) {
    ocrStats_t stats = {0};
    while (stats.kernelEdts == 0) {
        OK(ocrStatsGet(&stats));
        sched_yield();
    }
    atomic_store(&has_kernel_ended, true);
    return unused;
}

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const bool is_duplicate = atomic_fetch_add(&calls, 1) == EDTS - 1;
    do_it(depv);
    ocrPrintf("the function of an EDT has run\n");
    while (is_duplicate && !atomic_load(&has_kernel_ended))
        sched_yield();
    return NULL_GUID;
}

static pthread_t thread;

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(atomic_load(&calls), EDTS);
    u64 by_kernel = 0;
    for (u64 i = 0; i < EDTS; i++)
        by_kernel += ran_by(depv[i], i) == BY_KERNEL;
    CHECK_EQ(by_kernel, 1);
    OK(pthread_join(thread, NULL));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    ocrGuid_t after = spawn(checks, 0, NULL, 2 * EDTS, NULL);
    create(works, long_time, after, DB_MODE_EW, NULL_HINT);
    OK(pthread_create(&thread, NULL, look, NULL));
    return NULL_GUID;
}
