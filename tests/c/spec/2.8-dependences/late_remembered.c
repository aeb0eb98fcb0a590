// OCR_GONE_EVENTS is how many events are remembered that are gone: as many others can go before a dependence comes,
// which is served all the same. It holds for output events, too.
//
// clause: 2.8.1
// unordered: a dependence comes when its event is gone, on purpose
// env: OCR_GONE_EVENTS=1000
// stderr: came too late
// one-node: its EDTs share variables of the program
#include "late.h"
#include <stdatomic.h>

enum { OTHERS = 1000 };

static ocrGuid_t block, output;
static atomic_int left = OTHERS + 2;

static ocrGuid_t consumer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(ocrGuidIsEq(depv[0].guid, block));
    CHECK_EQ(*(u64 *)depv[0].ptr, 7);
    if (--left == 0) {
        ocrShutdown();
    }
    return NULL_GUID;
}

static ocrGuid_t returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return block;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrAddDependence(output, spawn(consumer, 0, NULL, 1, NULL), 0, DB_MODE_CONST));
    static ocrGuid_t events[OTHERS + 1];
    for (int i = 0; i <= OTHERS; i++) {
        events[i] = event_of(OCR_EVENT_ONCE_T);
        OK(ocrEventSatisfy(events[i], block));
    }
    for (int i = 0; i <= OTHERS; i++) {
        OK(ocrAddDependence(events[i], spawn(consumer, 0, NULL, 1, NULL), 0, DB_MODE_CONST));
    }
    return NULL_GUID;
}

/* EDTs of the size of the one whose output event is asked for, one after the other. */
static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    if (paramv[0] == OTHERS / 2) {
        spawn(late, 0, NULL, 0, NULL);
    } else {
        u64 at = paramv[0] + 1;
        spawn(next, 1, &at, 0, NULL);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    block = block_with(7);
    ocrGuid_t begin = event_of(OCR_EVENT_ONCE_T), after;
    spawn_with(returns, 0, NULL, 1, &begin, EDT_PROP_NONE, &output);
    u64 at = 0;
    after = spawn(next, 1, &at, 1, NULL);
    OK(ocrAddDependence(output, after, 0, DB_MODE_NULL));
    OK(ocrEventSatisfy(begin, NULL_GUID));
    return NULL_GUID;
}
