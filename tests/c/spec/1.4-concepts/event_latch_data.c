/*
 * A latch event passes on the block that it is satisfied with last, by a decrement or by an
 * increment, in a call, from a block, from another event, or as the result of an EDT. OCR 1.1.0
 * (1.4.3.1) says that it drops blocks; programs of OCR 1.2 rely on getting the last one.
 */
// clause: 1.4.3.1
// deviates: 1.4.3.1
#include "check.h"

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] == 0) {
        CHECK(ocrGuidIsNull(depv[0].guid) && depv[0].ptr == NULL);
    } else {
        CHECK_EQ(number_in(depv[0]), paramv[0]);
    }
    return NULL_GUID;
}

static ocrGuid_t returns_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    return depv[0].guid;
}

static ocrGuid_t latch_at(u64 counter) {
    ocrEventParams_t params = {.EVENT_LATCH = {.counter = counter}};
    ocrGuid_t guid;
    OK(ocrEventCreateParams(&guid, OCR_EVENT_LATCH_T, EVT_PROP_TAKES_ARG, &params));
    return guid;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { WAYS = 7 };
    ocrGuid_t last = end_after(2 * WAYS);
    for (u64 way = 0; way < WAYS; way++) {
        u64 value = way == 0 ? 0 : 10 + way;
        ocrGuid_t latch = latch_at(way == 6 ? (u64)-2 : 2), outputs[2], once, edt, behind = event_of(OCR_EVENT_ONCE_T);
        /* An EDT that waits for the latch, and one behind another event. */
        link_to(latch, spawn_with(gets, 1, &value, 1, NULL, EDT_PROP_NONE, &outputs[0]), 0, DB_MODE_RO);
        link_to(behind, spawn_with(gets, 1, &value, 1, NULL, EDT_PROP_NONE, &outputs[1]), 0, DB_MODE_CONST);
        link_to(outputs[0], last, (u32)(2 * way), DB_MODE_NULL);
        link_to(outputs[1], last, (u32)(2 * way + 1), DB_MODE_NULL);
        link_to(latch, behind, 0, DB_MODE_NULL);
        u32 slot = way == 6 ? OCR_EVENT_LATCH_INCR_SLOT : OCR_EVENT_LATCH_DECR_SLOT;
        OK(ocrEventSatisfySlot(latch, block_with(99), slot)); /* not the last */
        switch (way) {
        case 0:
            OK(ocrEventSatisfy(latch, NULL_GUID));
            break;
        case 1:
        case 6:
            OK(ocrEventSatisfySlot(latch, block_with(value), slot));
            break;
        case 2:
            link_to(block_with(value), latch, slot, DB_MODE_NULL);
            break;
        case 3:
            once = event_of(OCR_EVENT_ONCE_T);
            link_to(once, latch, slot, DB_MODE_NULL);
            OK(ocrEventSatisfy(once, block_with(value)));
            break;
        case 4:
            edt = spawn_with(returns_block, 0, NULL, 1, NULL, EDT_PROP_OEVT_VALID, &latch);
            link_to(block_with(value), edt, 0, DB_MODE_RO);
            break;
        case 5:
            /* The latch still stands at 1, of the creation: the end of the scope is the decrement. */
            edt = spawn_with(returns_block, 0, NULL, 1, NULL, EDT_PROP_OEVT_VALID | EDT_PROP_FINISH, &latch);
            link_to(block_with(value), edt, 0, DB_MODE_RO);
            break;
        }
    }
    return NULL_GUID;
}
