/*
 * 2.7.3: a new output event is a once event like others. Programs satisfy it, destroy it, ask what it is
 * and link it to latches, before the EDT ends and after it has returned an event; with EDTs of all sizes.
 */
// clause: 2.7.3
// unordered: output events are satisfied and destroyed by others while their EDTs can run
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

static u64 served; /* by EDTs that run one after the other */

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t returns_param(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return ((ocrGuid_t *)paramv)[0];
}

/* Its first parameter is the number that slot 0 brings, or 0 for no block. */
static ocrGuid_t expects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(ocrGuidIsNull(depv[0].guid) ? 0 : number_in(depv[0]), paramv[0]);
    __atomic_fetch_add(&served, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static ocrGuid_t expecting(u64 number) { return spawn(expects, 1, &number, 1, NULL); }

/* An EDT that waits, of one pre-slot and `params` parameters of which the first is given. */
static ocrGuid_t waiting(ocrEdt_t function, u32 params, u64 param, ocrGuid_t *output) {
    u64 paramv[100] = {param};
    ocrGuid_t edt = spawn_with(function, params, paramv, 1, NULL, EDT_PROP_NONE, output);
    ocrGuidUserKind kind;
    OK(ocrGetGuidKind(&kind, *output));
    CHECK_EQ(kind, GUID_USER_EVENT_ONCE);
    CHECK(!ocrGuidIsEq(edt, *output));
    return edt;
}

static void go(ocrGuid_t edt) { link_to(NULL_GUID, edt, 0, DB_MODE_NULL); }

static void is_gone(ocrGuid_t event) {
    ocrGuidUserKind kind;
    REFUSED(OCR_EINVAL, ocrEventSatisfy(event, NULL_GUID));
    REFUSED(OCR_EINVAL, ocrEventDestroy(event));
    OK(ocrGetGuidKind(&kind, event));
    CHECK_EQ(kind, GUID_USER_NONE);
}

static void before_the_end(u32 params) {
    ocrGuid_t output, edt, other;

    /* Satisfied by the program: what the EDT returns comes too late. */
    edt = waiting(nothing, params, 0, &output);
    link_to(output, expecting(5), 0, DB_MODE_RO);
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(output, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfy(output, block_with(5)));
    is_gone(output);
    go(edt);

    /* Destroyed: what waited can be connected to something else. */
    edt = waiting(nothing, params, 0, &output);
    other = expecting(0);
    link_to(output, other, 0, DB_MODE_RO);
    OK(ocrEventDestroy(output));
    is_gone(output);
    go(other);
    go(edt);

    /* Destroyed with its EDT, whose slot is used again. */
    edt = waiting(nothing, params, 0, &output);
    other = expecting(0);
    link_to(output, other, 0, DB_MODE_RO);
    OK(ocrEdtDestroy(edt));
    is_gone(output);
    go(other);
    for (int i = 0; i < 1000; i++) {
        ocrGuid_t again;
        edt = waiting(nothing, params, 0, &again);
        CHECK(!ocrGuidIsEq(output, again));
        go(edt);
    }
    is_gone(output);

    /* What waits for its own end waits indefinitely, but can be destroyed. */
    edt = waiting(nothing, params, 0, &output);
    link_to(output, edt, 0, DB_MODE_RO);
    OK(ocrEdtDestroy(edt));
    is_gone(output);

    /* Three EDTs count a latch up and one down twice; others wait for the same events. */
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T), ups[2], outputs[2];
    for (int i = 0; i < 2; i++) {
        ups[i] = waiting(nothing, params, 0, &outputs[i]);
        if (i == 1) {
            link_to(outputs[i], expecting(0), 0, DB_MODE_RO);
        }
        link_to(outputs[i], latch, OCR_EVENT_LATCH_INCR_SLOT, DB_MODE_NULL);
        link_to(outputs[i], expecting(0), 0, DB_MODE_RO);
    }
    link_to(latch, expecting(0), 0, DB_MODE_RO);
    ocrGuid_t down, both = NULL_GUID;
    edt = spawn_with(nothing, 0, NULL, 2, NULL, EDT_PROP_NONE, &down);
    link_to(down, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    link_to(down, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    link_to(outputs[0], edt, 0, DB_MODE_NULL);
    link_to(outputs[1], edt, 1, DB_MODE_NULL);
    go(ups[0]);
    go(ups[1]);

    /* The output event of one EDT given to another: the first that ends satisfies it. */
    edt = waiting(nothing, params, 0, &output);
    link_to(output, expecting(0), 0, DB_MODE_RO);
    both = output;
    spawn_with(nothing, 0, NULL, 0, NULL, EDT_PROP_OEVT_VALID, &both);
    CHECK(ocrGuidIsEq(both, output));
    go(edt);
}
#define SERVED_BEFORE 8

/* EDTs that have ended, and returned events that are not satisfied. */
static ocrGuid_t ended[4], outputs[4], returned[4];

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (int i = 0; i < 4; i++) {
        returned[i] = event_of(OCR_EVENT_STICKY_T);
        ended[i] = waiting(returns_param, paramv[0], *(u64 *)&returned[i], &outputs[i]);
        go(ended[i]);
    }
    return NULL_GUID;
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t other;
    ocrGuidUserKind kind;
    for (int i = 0; i < 4; i++) {
        REFUSED(OCR_EINVAL, ocrEdtDestroy(ended[i]));
        REFUSED(OCR_EINVAL, ocrAddDependence(NULL_GUID, ended[i], 0, DB_MODE_NULL));
        OK(ocrGetGuidKind(&kind, ended[i]));
        CHECK_EQ(kind, GUID_USER_NONE);
        OK(ocrGetGuidKind(&kind, outputs[i]));
        CHECK_EQ(kind, GUID_USER_EVENT_ONCE);
    }
    /* The event that was returned comes. */
    link_to(outputs[0], expecting(7), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(returned[0], block_with(7)));
    is_gone(outputs[0]);
    /* The program comes first. */
    link_to(outputs[1], expecting(8), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(outputs[1], block_with(8)));
    is_gone(outputs[1]);
    OK(ocrEventSatisfy(returned[1], NULL_GUID));
    /* It is destroyed. */
    other = expecting(0);
    link_to(outputs[2], other, 0, DB_MODE_RO);
    OK(ocrEventDestroy(outputs[2]));
    is_gone(outputs[2]);
    go(other);
    OK(ocrEventSatisfy(returned[2], NULL_GUID));
    /* The fourth is left as it is. */
    return NULL_GUID;
}
#define SERVED_AFTER 3

/* One size after the other: the parameter is how many parameters the EDTs have. */
static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t round_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    ocrGuid_t began, open = UNINITIALIZED_GUID;
    before_the_end((u32)paramv[0]);
    ocrGuid_t first = spawn_with(begins, paramc, paramv, 1, &open, EDT_PROP_FINISH, &began);
    ocrGuid_t second = spawn(goes_on, 0, NULL, 1, NULL);
    link_to(began, second, 0, DB_MODE_NULL);
    go(first);
    return NULL_GUID;
}

static void begin_round(u64 params) {
    ocrGuid_t done, open = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(round_of, 1, &params, 1, &open, EDT_PROP_FINISH, &done);
    link_to(done, spawn(ends, 1, &params, 1, NULL), 0, DB_MODE_NULL);
    go(edt);
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    static const u64 sizes[] = {1, 12, 40, 90};
    u64 round = 0;
    while (sizes[round] != paramv[0]) {
        round++;
    }
    CHECK_EQ(served, (round + 1) * (SERVED_BEFORE + SERVED_AFTER));
    if (round == 3) {
        ocrShutdown();
    } else {
        begin_round(sizes[round + 1]);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    begin_round(1);
    return NULL_GUID;
}
