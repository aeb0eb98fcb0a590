// Dependences on a once event, a latch event and an output event that have triggered and are gone: given to
// ocrAddDependence, to ocrEdtCreate and by an EDT that returns the event, to EDTs and to events. Each is served with
// what the event was satisfied with. The note names both EDTs, and comes once.
//
// clause: 2.8.1 1.4.3
// deviates: 1.4.3
// unordered: dependences come when their events are gone, on purpose
// one-node: its EDTs share variables of the program
#include "late.h"
#include <stdatomic.h>

enum { ONCE, LATCH, OUTPUT, EMPTY, SOURCES, WAYS = 5 };

static ocrGuid_t sources[SOURCES], block;
static atomic_int left = SOURCES * WAYS;

static ocrGuid_t consumer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] == EMPTY) {
        CHECK(ocrGuidIsNull(depv[0].guid) && depv[0].ptr == NULL);
    } else {
        CHECK(ocrGuidIsEq(depv[0].guid, block));
        CHECK_EQ(*(u64 *)depv[0].ptr, 42);
    }
    if (--left == 0) {
        ocrShutdown();
    }
    return NULL_GUID;
}

static ocrGuid_t returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return sources[paramv[0]];
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 at = 0; at < SOURCES; at++) {
        ocrGuid_t source = sources[at];
        OK(ocrAddDependence(source, spawn(consumer, 1, &at, 1, NULL), 0, DB_MODE_CONST));
        spawn(consumer, 1, &at, 1, &source);
        ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
        OK(ocrAddDependence(source, sticky, 0, DB_MODE_CONST));
        OK(ocrAddDependence(sticky, spawn(consumer, 1, &at, 1, NULL), 0, DB_MODE_CONST));
        ocrGuid_t waiting = event_of(OCR_EVENT_ONCE_T);
        OK(ocrAddDependence(waiting, spawn(consumer, 1, &at, 1, NULL), 0, DB_MODE_CONST));
        OK(ocrAddDependence(source, waiting, 0, DB_MODE_CONST));
        ocrGuid_t output, begin = event_of(OCR_EVENT_ONCE_T);
        spawn_with(returns, 1, &at, 1, &begin, EDT_PROP_NONE, &output);
        spawn(consumer, 1, &at, 1, &output);
        OK(ocrEventSatisfy(begin, NULL_GUID));
    }
    return NULL_GUID;
}

static ocrGuid_t producer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrEventSatisfy(sources[ONCE], block));
    OK(ocrEventSatisfySlot(sources[LATCH], block, OCR_EVENT_LATCH_DECR_SLOT));
    OK(ocrEventSatisfy(sources[EMPTY], NULL_GUID));
    return block;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    block = block_with(42);
    sources[ONCE] = event_of(OCR_EVENT_ONCE_T);
    sources[LATCH] = latch_at_one();
    sources[EMPTY] = event_of(OCR_EVENT_ONCE_T);
    ocrGuid_t begin = event_of(OCR_EVENT_ONCE_T);
    spawn_with(producer, 0, NULL, 1, &begin, EDT_PROP_NONE, &sources[OUTPUT]);
    spawn(late, 0, NULL, 1, &sources[OUTPUT]);
    OK(ocrEventSatisfy(begin, NULL_GUID));
    return NULL_GUID;
}
