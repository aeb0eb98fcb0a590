/*
 * 1.4.3.1 latch events: they trigger when increments and decrements, in any order, bring the
 * counter back to zero, and are gone then. Fed by calls, by dependences from NULL_GUID and blocks,
 * by other events; a million decrements from many EDTs. What data they pass on: event_latch_data.c.
 */
// clause: 1.4.3.1 B.3.3
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

static atomic_int steps;

static ocrGuid_t fired(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&steps), paramv[0]);
    return NULL_GUID;
}

static void incr(ocrGuid_t latch) { OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT)); }
static void decr(ocrGuid_t latch) { OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT)); }

static ocrGuid_t counts_down(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t latch = ((ocrGuid_t *)paramv)[0];
    for (u64 i = 0; i < paramv[1]; i++) {
        if (i % 3 == 0) {
            incr(latch); /* up again, and two down */
            decr(latch);
        }
        atomic_fetch_add(&steps, 1);
        decr(latch);
    }
    return NULL_GUID;
}

static ocrGuid_t million(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { EDTS = 200 };
    u64 each = scaled(1000000) / EDTS, all = each * EDTS;
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T), output;
    atomic_store(&steps, 0);
    ocrGuid_t edt = spawn_with(fired, 1, &all, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, end_after(1), 0, DB_MODE_NULL);
    link_to(latch, edt, 0, DB_MODE_NULL);
    for (u64 i = 0; i < all; i++) {
        incr(latch);
    }
    u64 args[] = {*(u64 *)&latch, each};
    ocrGuid_t tmpl = template_of(counts_down, 2, 0);
    for (int i = 0; i < EDTS; i++) {
        edt_of(tmpl, 2, args, 0, NULL, EDT_PROP_NONE, NULL);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

/* A latch whose waiter requires that `at` steps were made when it fires. */
static ocrGuid_t latch_firing_at(u64 at, ocrGuid_t next, u32 slot) {
    ocrGuid_t latch, output, edt = spawn_with(fired, 1, &at, 1, NULL, EDT_PROP_NONE, &output);
    OK(ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE));
    link_to(output, next, slot, DB_MODE_NULL);
    link_to(latch, edt, 0, DB_MODE_NULL);
    return latch;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    /* Each order returns to zero at its end and not before. */
    static const char *orders[] = {"+-", "-+", "++--", "--++", "+++---", "--+-++"};
    enum { LATCHES = 6 };
    ocrGuid_t next = spawn(million, 0, NULL, LATCHES, NULL), latches[LATCHES], lasts[LATCHES];
    for (u32 k = 0; k < LATCHES; k++) {
        latches[k] = latch_firing_at(LATCHES, next, k);
        size_t count = strlen(orders[k]);
        for (size_t i = 0; i < count; i++) {
            u32 slot = orders[k][i] == '+' ? OCR_EVENT_LATCH_INCR_SLOT : OCR_EVENT_LATCH_DECR_SLOT;
            if (i + 1 == count) {
                lasts[k] = event_of(OCR_EVENT_ONCE_T);
                link_to(lasts[k], latches[k], slot, DB_MODE_NULL);
            } else if (k % 3 == 0) {
                OK(ocrEventSatisfySlot(latches[k], NULL_GUID, slot));
            } else if (k % 3 == 1) {
                link_to(NULL_GUID, latches[k], slot, DB_MODE_NULL);
            } else {
                link_to(block_with(4), latches[k], slot, DB_MODE_RW);
            }
        }
    }
    /* A latch has two slots. */
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(latches[0], NULL_GUID, 2));
    REFUSED(OCR_EINVAL, ocrAddDependence(NULL_GUID, latches[0], 7, DB_MODE_NULL));
    atomic_store(&steps, LATCHES);
    for (u32 k = 0; k < LATCHES; k++) {
        OK(ocrEventSatisfy(lasts[k], k % 2 ? block_with(1) : NULL_GUID));
        REFUSED(OCR_EINVAL, ocrEventSatisfySlot(latches[k], NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    }
    return NULL_GUID;
}
