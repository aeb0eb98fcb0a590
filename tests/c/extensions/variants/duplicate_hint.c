/* EDTs whose hint OCR_HINT_EDT_RETRY is 0 have no duplicates. */
// clause: ocr-variants.h ocr-hints.h
// needs: opencl
// workers: 1
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_STATS=1
// env: OCR_DUPLICATES=1
// stderr-without: OCR_DUPLICATES
#include "kernel_duplicate.h"
#include <extensions/ocr-hints.h>

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    atomic_fetch_add(&calls, 1);
    do_it(depv);
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 by_kernel = 0;
    for (u64 i = 0; i < EDTS; i++)
        by_kernel += ran_by(depv[i], i) == BY_KERNEL;
    CHECK_EQ(by_kernel + (u64)atomic_load(&calls), EDTS);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_RETRY, 0));
    ocrGuid_t after = spawn(checks, 0, NULL, 2 * EDTS, NULL);
    create(works, long_time, after, DB_MODE_RW, &hint);
    return NULL_GUID;
}
