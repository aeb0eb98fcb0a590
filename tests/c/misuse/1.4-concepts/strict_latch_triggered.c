// Strict mode: the message about a latch event that is used after it has triggered says who satisfied it last.
//
// misuse: OCR-1.4.3.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfySlot: a latch event was satisfied after it had triggered
// stderr: first satisfied by ocrEventSatisfySlot in EDT 0x
// stderr: last satisfied by ocrEventSatisfySlot in EDT 0x
// stderr: (decrements)
#include "strict.h"

static ocrGuid_t decrements(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    OK(ocrEventSatisfySlot((ocrGuid_t){(s64)paramv[0]}, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    return NULL_GUID;
}

static ocrGuid_t increments(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEventSatisfySlot((ocrGuid_t){(s64)paramv[0]}, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    CHECK(!"it does not come so far");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T), done, hold = UNINITIALIZED_GUID;
    u64 param = (u64)latch.guid;
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    const ocrGuid_t first = EDT_WITH(decrements, 1, &param, 1, &hold, &done);
    EDT(increments, 1, &param, 1, &done);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
