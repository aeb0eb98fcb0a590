/* kernel_duplicate_function.h - the function of a duplicate ends first, and counts once with all that it has asked for.
 * Its kernel never ends, and does not keep the program from ending. */
#include "kernel_duplicate.h"

static ocrGuid_t latch;

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    atomic_fetch_add(&calls, 1);
    do_it(depv);
    ocrPrintf("the function of an EDT has run\n");
    OK(ocrDbRelease(depv[0].guid));
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    paramv[1] = 0;
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(atomic_load(&calls), EDTS);
    for (u64 i = 0; i < EDTS; i++)
        CHECK_EQ(ran_by(depv[i], i), BY_FUNCTION);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    latch = event_of(OCR_EVENT_LATCH_T);
    for (int i = 0; i < EDTS; i++)
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    ocrGuid_t after = spawn(checks, 0, NULL, 2 * EDTS + 1, NULL);
    link_to(latch, after, 2 * EDTS, DB_MODE_NULL);
    create(works, for_ever, after, DB_MODE_RW, NULL_HINT);
    return NULL_GUID;
}
