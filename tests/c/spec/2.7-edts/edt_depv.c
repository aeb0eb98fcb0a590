/*
 * 2.7.3: pre-slots given at creation: NULL_GUID, a block, events satisfied and not,
 * UNINITIALIZED_GUID; the array is copied and may lie in a data block; no pre-slots at all; depv
 * NULL. Blocks come in the default mode, RW. Slots are filled in any order.
 */
// clause: 2.7.3
#include "check.h"

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < depc; i++) {
        if (paramv[i] == 0) {
            CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
        } else {
            CHECK_EQ(number_in(depv[i]), paramv[i]);
        }
    }
    return NULL_GUID;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramv, (void)depv;
    CHECK_EQ(paramc + depc, 0);
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { SLOTS = 6 };
    u64 seed = 7;
    for (u64 n = 0; n < 500; n++) {
        ocrGuid_t once = event_of(OCR_EVENT_ONCE_T), satisfied = event_of(OCR_EVENT_STICKY_T);
        OK(ocrEventSatisfy(satisfied, block_with(5)));
        u64 want[SLOTS] = {0, 3, 4, 5, 6, n % 2 ? 7 : 0};
        void *addr;
        ocrGuid_t home = block_of(SLOTS * sizeof(ocrGuid_t), &addr), *slots = (ocrGuid_t *)addr;
        slots[0] = NULL_GUID;
        slots[1] = block_with(3);
        slots[2] = once;
        slots[3] = satisfied;
        slots[4] = slots[5] = UNINITIALIZED_GUID;
        ocrGuid_t edt = spawn(checks, SLOTS, want, SLOTS, slots);
        memset(addr, 0x77, SLOTS * sizeof(ocrGuid_t));
        OK(ocrDbDestroy(home));
        /* the three that are open, in any order */
        for (u64 k = 0, first = next_random(&seed) >> 40; k < 3; k++) {
            switch ((first + k) % 3) {
            case 0: OK(ocrEventSatisfy(once, block_with(4))); break;
            case 1: link_to(block_with(6), edt, 4, DB_MODE_RW); break;
            case 2: link_to(n % 2 ? block_with(7) : NULL_GUID, edt, 5, DB_MODE_EW); break;
            }
        }
    }
    spawn(nothing, 0, NULL, 0, NULL);
    ocrGuid_t nulls[] = {NULL_GUID, NULL_GUID}, tmpl = template_of(checks, 2, 2), block = block_with(9);
    u64 want[] = {0, 0};
    edt_of(tmpl, 2, want, 2, nulls, EDT_PROP_NONE, NULL);
    edt_of(tmpl, 2, want, 2, nulls, EDT_PROP_LONG | EDT_PROP_NO_HINT, NULL); /* no effect here */
    OK(ocrEdtCreate(NULL, tmpl, 2, want, 2, nulls, EDT_PROP_NONE, NULL_HINT, NULL));
    want[1] = 9;
    nulls[1] = block;
    OK(ocrEdtCreate(NULL, tmpl, 2, want, 2, nulls, EDT_PROP_NONE, NULL_HINT, NULL));
    want[0] = 9;
    ocrGuid_t edt = edt_of(tmpl, 2, want, 2, NULL, EDT_PROP_NONE, NULL);
    link_to(block, edt, 1, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_RO);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(all, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
