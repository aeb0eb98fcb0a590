/* Strict mode reports no block for an event that was created without EVT_PROP_TAKES_ARG where there is no
 * block, or the event is a latch, which ignores blocks; nor for one that was created with true. */
// clause: 2.6.1
// env: OCR_CHECK=strict
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t sticky, latch, once, last = END(3), block = block_with(1);
    OK(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    OK(ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE));
    OK(ocrEventCreate(&once, OCR_EVENT_ONCE_T, true));
    link_to(sticky, last, 0, DB_MODE_RO);
    link_to(latch, last, 1, DB_MODE_NULL);
    link_to(once, last, 2, DB_MODE_RO);
    OK(ocrEventSatisfySlot(latch, block, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(latch, block, OCR_EVENT_LATCH_DECR_SLOT));
    OK(ocrAddDependence(NULL_GUID, sticky, 0, DB_MODE_NULL));
    OK(ocrEventSatisfy(once, block));
    return NULL_GUID;
}
