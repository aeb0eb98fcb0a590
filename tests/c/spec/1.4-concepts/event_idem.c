/*
 * 1.4.3 idempotent events: the first satisfaction counts, its data stays; later ones, also at the
 * same time from many EDTs, are ignored without an error; late dependences are served at once.
 */
// clause: 1.4.3
#include "check.h"

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    OK(ocrEventSatisfy(((ocrGuid_t *)paramv)[0], depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 i = 0; i < 100; i++) {
        ocrGuid_t block = block_with(5);
        spawn(satisfies, 1, paramv, 1, &block);
    }
    return NULL_GUID;
}

static ocrGuid_t after_race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    /* Which of the racers was the first shows in the slot; every late slot gets the same one. */
    ocrGuid_t event = ((ocrGuid_t *)paramv)[0], first = depv[1].guid;
    CHECK_EQ(number_in(depv[1]), 5);
    CHECK(ocrGuidIsEq(depv[2].guid, first));
    OK(ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(event, NULL_GUID));
    REFUSED(OCR_EINVAL, ocrEventDestroy(event));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t starts_race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_IDEM_T), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(race, 1, (u64 *)&event, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t next = spawn(after_race, 1, (u64 *)&event, 3, NULL);
    link_to(event, next, 1, DB_MODE_CONST);
    link_to(event, next, 2, DB_MODE_CONST);
    link_to(done, next, 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_IDEM_T), outputs[4], hold[] = {UNINITIALIZED_GUID};
    ocrGuid_t next = spawn(starts_race, 0, NULL, 4, NULL);
    u64 value = 31;
    for (u32 i = 0; i < 4; i++) {
        /* Two dependences before the satisfaction, one between two of them, one after all. */
        if (i == 2) {
            OK(ocrEventSatisfy(event, block_with(31)));
            OK(ocrEventSatisfy(event, block_with(32)));
        }
        if (i == 3) {
            OK(ocrEventSatisfy(event, NULL_GUID));
            OK(ocrEventSatisfySlot(event, block_with(33), 0));
        }
        ocrGuid_t edt = spawn_with(gets, 1, &value, 1, hold, EDT_PROP_NONE, &outputs[i]);
        link_to(outputs[i], next, i, DB_MODE_NULL);
        link_to(event, edt, 0, DB_MODE_RO);
    }
    OK(ocrEventDestroy(event));
    return NULL_GUID;
}
