/*
 * A finish EDT with a latch event of the program's as output event (EDT_PROP_OEVT_VALID): the end of
 * the scope is one decrement, which the program has counted in; a latch at 0 counts it in itself.
 * The latch triggers when the finish EDT, all its descendants and what the program counts are done,
 * with the finish EDT's result if that comes last. Other kinds of events get the result.
 */
// clause: 1.4.2
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { CHILDREN = 8, ALL = CHILDREN * (CHILDREN + 1) };
static atomic_int done[8];

static ocrGuid_t grandchild(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    breathe();
    atomic_fetch_add(&done[paramv[0]], 1);
    return NULL_GUID;
}

static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    for (int i = 0; i < CHILDREN; i++) {
        spawn(grandchild, paramc, paramv, 0, NULL);
    }
    atomic_fetch_add(&done[paramv[0]], 1);
    return NULL_GUID;
}

/* paramv: which, the latch, how often it decrements that. */
static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (int i = 0; i < CHILDREN; i++) {
        spawn(child, 1, paramv, 0, NULL);
    }
    for (u64 i = 0; i < paramv[2]; i++) {
        OK(ocrEventSatisfy(((ocrGuid_t *)paramv)[1], NULL_GUID));
    }
    return depv[0].guid;
}

static ocrGuid_t after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(atomic_load(&done[paramv[0]]), ALL);
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { LATCHES = 4, KINDS = 3, CASES = LATCHES + KINDS };
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_STICKY_T, OCR_EVENT_IDEM_T};
    ocrGuid_t last = end_after(CASES);
    for (u64 i = 0; i < CASES; i++) {
        ocrGuid_t event, ended;
        if (i < LATCHES) {
            /* 0: counts the scope itself; 1: the scope; 2: one more, which the root counts down;
             * 3: from 0 to 3 by increments. */
            ocrEventParams_t params = {.EVENT_LATCH = {.counter = i == 3 ? 0 : i}};
            OK(ocrEventCreateParams(&event, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
            for (int k = 0; i == 3 && k < 3; k++) {
                OK(ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
            }
        } else {
            event = event_of(types[i - LATCHES]);
        }
        ocrGuid_t waits = spawn_with(after, 1, &i, 1, NULL, EDT_PROP_NONE, &ended), given = event;
        link_to(ended, last, (u32)i, DB_MODE_NULL);
        link_to(event, waits, 0, DB_MODE_RO);
        u64 args[] = {i, *(u64 *)&event, i == 2 ? 1 : i == 3 ? 2 : 0};
        ocrGuid_t edt = spawn_with(root, 3, args, 1, NULL, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, &given);
        CHECK(ocrGuidIsEq(event, given));
        link_to(block_with(i), edt, 0, DB_MODE_RO);
    }
    return NULL_GUID;
}
