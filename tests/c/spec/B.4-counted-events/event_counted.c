/*
 * B.4 counted events: dependences before and after the satisfaction are served with its block, EDTs
 * and events alike; the event is gone when it is satisfied and nbDeps have been served, not before
 * and not after; more of them, or a second satisfaction, are refused. Bad parameters.
 */
// clause: B.4 B.3.3 B.4.1
// deviates: B.4
// unordered: many EDTs satisfy one event, of which one succeeds
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { RACERS = 300 };
static atomic_int satisfied;

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t counted(u64 dependences) {
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = dependences}};
    ocrGuid_t guid;
    OK(ocrEventCreateParams(&guid, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params));
    return guid;
}

static void is_gone(ocrGuid_t event) {
    REFUSED(OCR_EINVAL, ocrEventSatisfy(event, NULL_GUID));
    REFUSED(OCR_EINVAL, ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrAddDependence(event, spawn(gets, 0, NULL, 1, NULL), 0, DB_MODE_RO));
}

/* An EDT that expects the value and satisfies a slot of `next` when it has run. */
static ocrGuid_t getter(u64 value, ocrGuid_t next, u32 slot) {
    ocrGuid_t output, edt = spawn_with(gets, 1, &value, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, next, slot, DB_MODE_NULL);
    return edt;
}

static void in_turn(ocrGuid_t next) {
    /* Of six dependences, each number of them comes after the satisfaction. */
    for (u32 before = 0; before <= 6; before++) {
        ocrGuid_t event = counted(6);
        for (u32 i = 0; i < 6; i++) {
            if (i == before) {
                OK(ocrEventSatisfy(event, block_with(before)));
                REFUSED(OCR_EPERM, ocrEventSatisfy(event, NULL_GUID));
            }
            if (i % 2) {
                link_to(event, getter(before, next, 6 * before + i), 0, DB_MODE_RO);
            } else {
                ocrGuid_t behind = event_of(OCR_EVENT_STICKY_T);
                link_to(behind, getter(before, next, 6 * before + i), 0, DB_MODE_CONST);
                link_to(event, behind, 0, DB_MODE_NULL);
            }
        }
        if (before == 6) {
            REFUSED(OCR_EPERM, ocrAddDependence(event, spawn(gets, 0, NULL, 1, NULL), 0, DB_MODE_RO));
            REFUSED(OCR_EPERM, ocrAddDependence(event, event_of(OCR_EVENT_ONCE_T), 0, DB_MODE_RO));
            OK(ocrEventSatisfy(event, block_with(before)));
        }
        is_gone(event);
    }
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u8 code = ocrEventSatisfy(((ocrGuid_t *)paramv)[0], ((ocrGuid_t *)paramv)[1]);
    CHECK(code == 0 || code == OCR_EPERM || code == OCR_EINVAL);
    atomic_fetch_add(&satisfied, code == 0);
    return NULL_GUID;
}

static ocrGuid_t connects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 value = 5;
    link_to(((ocrGuid_t *)paramv)[0], spawn(gets, 1, &value, 1, NULL), 0, DB_MODE_RO);
    return NULL_GUID;
}

static ocrGuid_t race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t connecting = template_of(connects, 2, 0), satisfying = template_of(satisfies, 2, 0);
    for (int i = 0; i < RACERS; i++) {
        edt_of(connecting, 2, paramv, 0, NULL, EDT_PROP_NONE, NULL);
        edt_of(satisfying, 2, paramv, 0, NULL, EDT_PROP_NONE, NULL);
    }
    OK(ocrEdtTemplateDestroy(connecting));
    OK(ocrEdtTemplateDestroy(satisfying));
    return NULL_GUID;
}

static ocrGuid_t after_race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&satisfied), 1);
    is_gone(((ocrGuid_t *)paramv)[0]);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t new_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return block_with(paramv[0]);
}

static ocrGuid_t starts_race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t args[] = {counted(RACERS), block_with(5)}, done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(race, 2, (u64 *)args, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(after_race, 2, (u64 *)args, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, next = spawn(starts_race, 0, NULL, 47, NULL);
    ocrEventParams_t none = {.EVENT_COUNTED = {.nbDeps = 0}};
    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, OCR_EVENT_COUNTED_T, EVT_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrEventCreateParams(&guid, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, NULL));
    REFUSED(OCR_EINVAL, ocrEventCreateParams(&guid, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &none));
    in_turn(next);

    /* The output event of an EDT that may run at once: no dependence can come too late. */
    u64 value = 77;
    ocrGuid_t output = counted(3), depvs[] = {output};
    spawn_with(new_block, 1, &value, 0, NULL, EDT_PROP_OEVT_VALID, &output);
    CHECK(ocrGuidIsEq(output, depvs[0]));
    for (u32 i = 0; i < 2; i++) {
        link_to(output, getter(77, next, 42 + i), 0, DB_MODE_RO);
    }
    spawn_with(gets, 1, &value, 1, depvs, EDT_PROP_NONE, &guid);
    link_to(NULL_GUID, next, 44, DB_MODE_NULL);

    /* Slots; destroyed before it is satisfied, and between: those that wait can be given another. */
    ocrGuid_t event = counted(2), edt = getter(9, next, 45);
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(event, 1, edt, 0, DB_MODE_RO));
    link_to(event, edt, 0, DB_MODE_RO);
    OK(ocrEventDestroy(event));
    is_gone(event);
    event = counted(2);
    OK(ocrEventSatisfy(event, block_with(9)));
    OK(ocrAddDependenceSlot(event, 0, edt, 0, DB_MODE_RO));
    OK(ocrEventDestroy(event));
    is_gone(event);
    link_to(NULL_GUID, next, 46, DB_MODE_NULL);
    return NULL_GUID;
}
