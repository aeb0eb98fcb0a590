/*
 * 1.5 event to event: a chain of a million events passes one block to its end without recursion;
 * the same for latch events, each a decrement of the next; dependences added behind and in front.
 */
// clause: 1.5
#include "check.h"

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t waiter(ocrGuid_t source, u64 value, ocrGuid_t last, u32 slot) {
    ocrGuid_t output, edt = spawn_with(gets, 1, &value, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, last, slot, DB_MODE_NULL);
    link_to(source, edt, 0, DB_MODE_RO);
    return edt;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(4);
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_STICKY_T, OCR_EVENT_IDEM_T};
    u64 length = scaled(1000000);

    ocrGuid_t first = event_of(OCR_EVENT_ONCE_T), end = first;
    for (u64 i = 0; i < length; i++) {
        ocrGuid_t next = event_of(types[i % 3]);
        link_to(end, next, 0, DB_MODE_NULL);
        end = next;
    }
    waiter(end, 64, last, 0);
    OK(ocrEventSatisfy(first, block_with(64)));

    /* From the end to the beginning, of events that are satisfied where they are linked. */
    first = event_of(OCR_EVENT_STICKY_T), end = first;
    waiter(end, 65, last, 1);
    for (u64 i = 0; i < length / 10; i++) {
        ocrGuid_t before = event_of(types[i % 3]);
        link_to(before, first, 0, DB_MODE_NULL);
        first = before;
    }
    ocrGuid_t satisfied = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(satisfied, block_with(65)));
    link_to(satisfied, first, 0, DB_MODE_NULL);
    waiter(satisfied, 65, last, 2);

    first = event_of(OCR_EVENT_LATCH_T), end = first;
    OK(ocrEventSatisfySlot(first, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    for (u64 i = 0; i < length / 2; i++) {
        ocrGuid_t next = event_of(OCR_EVENT_LATCH_T);
        OK(ocrEventSatisfySlot(next, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        link_to(end, next, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
        end = next;
    }
    link_to(end, last, 3, DB_MODE_NULL);
    OK(ocrEventSatisfySlot(first, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    return NULL_GUID;
}
