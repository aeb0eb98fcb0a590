/*
 * 2.6: an event of each type of this clause stands between two EDTs: the second one runs after the first has satisfied
 * it, and sees its data. A latch event counts on its two pre-slots.
 */
// clause: 2.6
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { TYPES = 3 };

static atomic_int before; /* how many of the first have run */

/* paramv: the event, its number, whether it is a latch event. */
static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = ((ocrGuid_t *)paramv)[0];
    atomic_fetch_or(&before, 1 << paramv[1]);
    if (paramv[2]) {
        for (int i = 0; i < 2; i++)
            OK(ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        for (int i = 0; i < 2; i++)
            OK(ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    } else {
        OK(ocrEventSatisfy(event, block_with(paramv[1])));
    }
    return NULL_GUID;
}

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK(atomic_load(&before) >> paramv[1] & 1);
    if (paramv[2])
        CHECK(ocrGuidIsNull(depv[0].guid) && depv[0].ptr == NULL);
    else
        CHECK_EQ(number_in(depv[0]), paramv[1]);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEventTypes_t types[TYPES + 1] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T,
                                              OCR_EVENT_LATCH_T};
    ocrGuid_t last = end_after(TYPES + 1);
    CHECK(OCR_EVENT_LATCH_DECR_SLOT != OCR_EVENT_LATCH_INCR_SLOT);
    for (u64 n = 0; n <= TYPES; n++) {
        ocrGuid_t event, ended;
        OK(ocrEventCreate(&event, types[n], n == TYPES ? EVT_PROP_NONE : EVT_PROP_TAKES_ARG));
        u64 params[] = {(u64)event.guid, n, n == TYPES};
        ocrGuid_t edt = spawn_with(second, 3, params, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)n, DB_MODE_NULL);
        link_to(event, edt, 0, n == TYPES ? DB_MODE_NULL : DB_MODE_RO);
        spawn(first, 3, params, 0, NULL);
    }
    return NULL_GUID;
}
