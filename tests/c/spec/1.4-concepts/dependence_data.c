/*
 * 1.4.1.2.1: what a dependence carries: of a block, the block; of an EDT, the block that its function returns; of an
 * event, the block that it was satisfied with. 1.4.1.2.2: of NULL_GUID, of an EDT that returns nothing, and of an event
 * that was satisfied with nothing, nothing; it orders all the same.
 */
// clause: 1.4.1.2.1 1.4.1.2.2
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { SLOTS = 6 };

static atomic_int producers; /* how many have run */

static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    atomic_fetch_add(&producers, 1);
    return paramv[0] ? block_with(paramv[0]) : NULL_GUID;
}

/* The first three slots carry 1 to 3, the others nothing. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, SLOTS);
    CHECK_EQ(atomic_load(&producers), 2);
    for (u32 i = 0; i < SLOTS; i++) {
        if (i < 3)
            CHECK_EQ(number_in(depv[i]), i + 1);
        else
            CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t produced(u64 value, ocrGuid_t edt, u32 slot) {
    ocrGuid_t output, hold = UNINITIALIZED_GUID;
    ocrGuid_t producer = spawn_with(produces, 1, &value, 1, &hold, EDT_PROP_NONE, &output);
    link_to(output, edt, slot, DB_MODE_RO);
    return producer;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt = spawn(looks, 0, NULL, SLOTS, NULL);
    ocrGuid_t with = event_of(OCR_EVENT_STICKY_T), without = event_of(OCR_EVENT_STICKY_T);
    link_to(block_with(1), edt, 0, DB_MODE_RO);
    ocrGuid_t some = produced(2, edt, 1), none = produced(0, edt, 4);
    link_to(with, edt, 2, DB_MODE_RO);
    link_to(NULL_GUID, edt, 3, DB_MODE_RO);
    link_to(without, edt, 5, DB_MODE_RO);
    OK(ocrEventSatisfy(with, block_with(3)));
    OK(ocrEventSatisfy(without, NULL_GUID));
    link_to(NULL_GUID, some, 0, DB_MODE_NULL);
    link_to(NULL_GUID, none, 0, DB_MODE_NULL);
    return NULL_GUID;
}
