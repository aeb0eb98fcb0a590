/* A kernel runs in vain, and others on the same device get the blocks: they find what the function has left, and what
 * the first kernel writes later is nowhere. */
// clause: ocr-variants.h
// needs: opencl
// workers: 1
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_STATS=1
// env: OCR_DUPLICATES=1
// stderr: 1 EDTs whose functions workers have called while their kernels ran (OCR_DUPLICATES)
// stderr: 1 of these, EDTs whose functions ended before their kernels
#include "kernel_duplicate.h"

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    atomic_fetch_add(&calls, 1);
    do_it(depv);
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u64 i = 0; i < EDTS; i++)
        CHECK_EQ(ran_by(depv[i], i), BY_FUNCTION + 2);
    ocrShutdown();
    return NULL_GUID;
}

/* The EDTs have ended, and one kernel runs on: two others for each block, one behind the other. */
static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&calls), EDTS);
    ocrGuid_t after = spawn(checks, 0, NULL, 2 * EDTS, NULL), more = kernel_of(source, "more", 0, 2);
    for (u32 i = 0; i < EDTS; i++) {
        ocrGuid_t done[2], first = kernel_edt(more, 1, 0, NULL, 2, &done[0]);
        ocrGuid_t second = kernel_edt(more, 1, 0, NULL, 2, &done[1]);
        link_to(done[1], after, EDTS + i, DB_MODE_NULL);
        link_to(blocks[i], after, i, DB_MODE_CONST);
        link_to(done[0], second, 1, DB_MODE_NULL);
        link_to(blocks[i], second, 0, DB_MODE_RW);
        link_to(NULL_GUID, first, 1, DB_MODE_NULL);
        link_to(blocks[i], first, 0, i % 2 == 0 ? DB_MODE_RW : DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(more));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    ocrGuid_t after = spawn(goes_on, 0, NULL, 2 * EDTS, NULL);
    create(works, long_time, after, DB_MODE_RW, NULL_HINT);
    return NULL_GUID;
}
