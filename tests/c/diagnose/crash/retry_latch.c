/* A latch that an EDT counts down to 0 is gone for the EDT's next call, also where its calls are held (OCR_RETRY). */
// clause: crash
// env: OCR_RETRY=1
// stdout-lines: 1 came
#include "crash.h"

static ocrGuid_t came(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrPrintf("came\n");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const ocrGuid_t latch = *(ocrGuid_t *)depv[0].ptr;
    for (u32 time = 0; time < 3; time++)
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    for (u32 time = 0; time < 3; time++)
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    CHECK_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), OCR_EINVAL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *known;
    ocrGuid_t block = block_of(sizeof(ocrGuid_t), &known), latch = event_of(OCR_EVENT_LATCH_T);
    *(ocrGuid_t *)known = latch;
    OK(ocrDbRelease(block));
    edt_of(template_of(came, 0, 1), 0, NULL, 1, &latch, EDT_PROP_NONE, NULL);
    edt_of(template_of(counts, 0, 1), 0, NULL, 1, &block, EDT_PROP_NONE, NULL);
    return NULL_GUID;
}
