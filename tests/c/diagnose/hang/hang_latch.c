// A hang because latches never come to zero; the message says their counters, and what they lack.
//
// clause: hang
// status: 1
// stderr: whose counter is 3: it lacks 3 on OCR_EVENT_LATCH_DECR_SLOT
// stderr: whose counter is -1: it lacks 1 on OCR_EVENT_LATCH_INCR_SLOT
// stderr: which was never satisfied: its counter is 0
// stderr: OCR_CHECK=strict shows who created what waits, and which event was destroyed.
// needs: halt
#include "check.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran before its latch");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t latches[3];
    for (int n = 0; n < 3; n++)
        latches[n] = event_of(OCR_EVENT_LATCH_T);
    spawn(never, 0, NULL, 3, latches);
    for (int n = 0; n < 4; n++)
        OK(ocrEventSatisfySlot(latches[0], NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(latches[0], NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    OK(ocrEventSatisfySlot(latches[1], NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    return NULL_GUID;
}
