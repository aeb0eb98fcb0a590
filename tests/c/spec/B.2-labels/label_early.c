/*
 * Labeled GUIDs are used before their objects are created: dependences and satisfactions wait for these, in whatever
 * way they name them, and then do what they would have done.
 */
// clause: B.2.3
// deviates: B.2
// unordered: a block is used by its label before it is created, and other runtimes do not wait for that
// revisions: plain strict
// one-node: a call that is sent returns 0, also if it is refused later
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-reduction-event.h>

enum { STEPS = 17 };
static ocrGuid_t s_end;

static ocrGuid_t label_of(ocrGuidUserKind kind) {
    ocrGuid_t range, guid;
    OK(ocrGuidRangeCreate(&range, 3, kind));
    OK(ocrGuidFromIndex(&guid, range, 1));
    return guid;
}

static void create(ocrGuid_t label, ocrEventTypes_t type) {
    OK(ocrEventCreate(&label, type, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
}

static ocrGuid_t create_block(ocrGuid_t label, u64 value) {
    void *addr;
    OK(ocrDbCreate(&label, &addr, sizeof value, DB_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    memcpy(addr, &value, sizeof value);
    OK(ocrDbRelease(label));
    return label;
}

/* Creates on the label paramv[0] what is of kind paramv[1], and satisfies it. */
static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label = {(s64)paramv[0]};
    if (paramv[1] == GUID_USER_DB) {
        create_block(label, 47);
    } else {
        create(label, OCR_EVENT_STICKY_T);
        OK(ocrEventSatisfy(label, block_with(47)));
    }
    return NULL_GUID;
}

/* Slot i has a block with the number paramv[i + 1], or nothing for 0. The end waits for it on slot paramv[0]. */
static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, depc + 1);
    for (u32 i = 0; i < depc; i++) {
        if (paramv[i + 1] == 0)
            CHECK(ocrGuidIsNull(depv[i].guid));
        else
            CHECK_EQ(number_in(depv[i]), paramv[i + 1]);
    }
    link_to(NULL_GUID, s_end, (u32)paramv[0], DB_MODE_NULL);
    return NULL_GUID;
}

static ocrGuid_t expects(u64 step, u64 value) {
    u64 params[2] = {step, value};
    return spawn(gets, 2, params, 1, NULL);
}

/* An EDT waits for an event of each type, which is created and satisfied later. */
static void events(u32 step) {
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T};
    const ocrGuidUserKind kinds[] = {GUID_USER_EVENT_ONCE, GUID_USER_EVENT_IDEM, GUID_USER_EVENT_STICKY};
    for (u32 i = 0; i < 3; i++) {
        ocrGuid_t label = label_of(kinds[i]);
        link_to(label, expects(step + i, 5 + i), 0, DB_MODE_RO);
        create(label, types[i]);
        OK(ocrEventSatisfy(label, block_with(5 + i)));
    }
}

/* A counted event takes as many early dependences as it was created for. */
static void counted(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_COUNTED);
    for (u32 i = 0; i < 2; i++)
        link_to(label, expects(step + i, 8), 0, DB_MODE_CONST);
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 2}};
    OK(ocrEventCreateParams(&label, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &params));
    OK(ocrEventSatisfy(label, block_with(8)));
    ocrGuidUserKind kind;
    OK(ocrGetGuidKind(&kind, label));
    CHECK_EQ(kind, GUID_USER_NONE);
}

/* What satisfies a channel early comes out in the same order. */
static void channel(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_CHANNEL);
    u64 params[3] = {step, 11, 12};
    ocrGuid_t edt = spawn(gets, 3, params, 2, NULL);
    OK(ocrEventSatisfy(label, block_with(11)));
    OK(ocrEventSatisfy(label, block_with(12)));
    link_to(label, edt, 0, DB_MODE_RO);
    link_to(label, edt, 1, DB_MODE_RO);
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    OK(ocrEventCreateParams(&label, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &channel));
}

/* A latch is counted up and down before it is there. */
static void latch(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_LATCH);
    link_to(label, expects(step, 13), 0, DB_MODE_RO);
    OK(ocrEventSatisfySlot(label, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(label, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(label, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    create(label, OCR_EVENT_LATCH_T);
    OK(ocrEventSatisfySlot(label, block_with(13), OCR_EVENT_LATCH_DECR_SLOT));
}

/* Two events that depend on each other: neither is there. */
static void linked(u32 step) {
    ocrGuid_t first = label_of(GUID_USER_EVENT_ONCE), second = label_of(GUID_USER_EVENT_STICKY);
    link_to(second, expects(step, 17), 0, DB_MODE_RO);
    link_to(first, second, 0, DB_MODE_RO);
    OK(ocrEventSatisfy(first, block_with(17)));
    create(first, OCR_EVENT_ONCE_T);
    create(second, OCR_EVENT_STICKY_T);
}

/* Blocks that are not there, as a source, as what an event is satisfied with, and in depv. */
static void blocks(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_DB), event = event_of(OCR_EVENT_STICKY_T),
              sticky = label_of(GUID_USER_EVENT_STICKY);
    u64 params[6] = {step, 19, 19, 19, 0, 23};
    ocrGuid_t depv[5] = {label, UNINITIALIZED_GUID, event, NULL_GUID, sticky};
    ocrGuid_t edt = spawn(gets, 6, params, 5, depv);
    link_to(label, edt, 1, DB_MODE_RW);
    OK(ocrEventSatisfy(event, label));
    create_block(label, 19);
    create(sticky, OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(sticky, block_with(23)));
}

/* An EDT without GUID. */
static void anonymous(u32 step) {
    ocrGuid_t depv[2] = {label_of(GUID_USER_DB), label_of(GUID_USER_EVENT_ONCE)};
    u64 params[3] = {step, 29, 31};
    ocrGuid_t tmpl = template_of(gets, 3, 2);
    OK(ocrEdtCreate(NULL, tmpl, 3, params, 2, depv, EDT_PROP_NONE, NULL_HINT, NULL));
    create(depv[1], OCR_EVENT_ONCE_T);
    create_block(depv[0], 29);
    OK(ocrEventSatisfy(depv[1], block_with(31)));
}

/* The EDT is not there, and its sources may be. */
static void edt(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_EDT), source = label_of(GUID_USER_EVENT_ONCE);
    link_to(block_with(37), label, 0, DB_MODE_RO);
    link_to(source, label, 1, DB_MODE_RO);
    u64 params[3] = {step, 37, 41};
    ocrGuid_t tmpl = template_of(gets, 3, 2);
    OK(ocrEdtCreate(&label, tmpl, 3, params, 2, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));
    create(source, OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(source, block_with(41)));
}

/* What is passed by value comes to the EDT, though that was not there. */
static void by_value(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_EDT), event = event_of(OCR_EVENT_ONCE_T), tmpl = template_of(gets, 2, 1);
    void *addr;
    u64 params[2] = {step, 43};
    ocrGuid_t block = block_of(sizeof(u64), &addr);
    memcpy(addr, &params[1], sizeof(u64));
    link_to(event, label, 0, DB_MODE_RO);
    OK(ocrAddDependenceByValue(block, event, 0, DB_MODE_RO));
    OK(ocrDbDestroy(block));
    OK(ocrEdtCreate(&label, tmpl, 2, params, 1, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));
}

/* An EDT returns what is not there yet. paramv[0]: the label. */
static ocrGuid_t returns_label(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return (ocrGuid_t){(s64)paramv[0]};
}

static void returned(u32 step, ocrGuidUserKind kind, u16 flags) {
    ocrGuid_t label = label_of(kind), output, open = UNINITIALIZED_GUID;
    u64 param = (u64)label.guid;
    ocrGuid_t edt = spawn_with(returns_label, 1, &param, 1, &open, flags, &output);
    ocrGuid_t sink = expects(step, 47), creator, tmpl = template_of(creates, 2, 1);
    /* It has returned, if not ended, when the label gets its object. */
    u64 params[2] = {param, kind};
    link_to(output, sink, 0, DB_MODE_CONST);
    creator = edt_of(tmpl, 2, params, 1, NULL, EDT_PROP_NONE, NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    link_to(NULL_GUID, creator, 0, DB_MODE_NULL);
}

static ocrGuid_t gets_sum(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), 7);
    CHECK_EQ(number_in(depv[1]), 7);
    link_to(NULL_GUID, s_end, (u32)paramv[0], DB_MODE_NULL);
    return NULL_GUID;
}

/* A collective event takes early dependences on each of its post-slots. */
static void collective(u32 step) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_COLLECTIVE);
    u64 param = step;
    ocrGuid_t edt = spawn(gets_sum, 1, &param, 2, NULL);
    for (u32 i = 0; i < 2; i++)
        OK(ocrAddDependenceSlot(label, i, edt, i, DB_MODE_RO));
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 2,
                                                    .nbContribsPd = 2,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    OK(ocrEventCreateParams(&label, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &params));
    u64 three = 3, four = 4;
    OK(ocrEventCollectiveSatisfySlot(label, &three, 0));
    OK(ocrEventCollectiveSatisfySlot(label, &four, 1));
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT runs that was destroyed");
    return NULL_GUID;
}

/* What can be refused at once is, and an object that is gone is not waited for. */
static void refused(void) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_STICKY), db = label_of(GUID_USER_DB), garbage = {12345};
    ocrGuid_t open = spawn(never, 0, NULL, 1, NULL);
    REFUSED(OCR_EINVAL, ocrAddDependence(label, open, 1, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(label, garbage, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(db, open, 1, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(db, label, 2, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(label, garbage));
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(label, NULL_GUID, 2));
    REFUSED(OCR_EPERM, ocrAddDependence(label_of(GUID_USER_EDT_TEMPLATE), open, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependence(label, db, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrEventDestroy(label));
    REFUSED(OCR_EINVAL, ocrDbDestroy(db));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(db, NULL_GUID));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(label_of(GUID_USER_EDT_TEMPLATE), NULL_GUID));
    /* It waits in vain, and the EDT goes with it. */
    link_to(label, open, 0, DB_MODE_RO);
    OK(ocrEdtDestroy(open));
    create(label, OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(label, NULL_GUID));
    OK(ocrEventDestroy(label));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(label, NULL_GUID));
    open = spawn(never, 0, NULL, 1, NULL);
    REFUSED(OCR_EINVAL, ocrAddDependence(label, open, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(create_block(db, 1), label, 0, DB_MODE_RO));
    OK(ocrDbDestroy(db));
    REFUSED(OCR_EINVAL, ocrAddDependence(db, open, 0, DB_MODE_RO));
    OK(ocrEdtDestroy(open));
    /* Of a creation that is refused, nothing waits. */
    ocrGuid_t depv[2] = {label_of(GUID_USER_EVENT_STICKY), label}, tmpl = template_of(never, 0, 2), edt;
    REFUSED(OCR_EINVAL, ocrEdtCreate(&edt, tmpl, 0, NULL, 2, depv, EDT_PROP_NONE, NULL_HINT, NULL));
    for (int i = 0; i < 2; i++) {
        /* No call could connect the other pre-slot. */
        depv[i] = label_of(GUID_USER_DB), depv[1 - i] = UNINITIALIZED_GUID;
        REFUSED(OCR_EPERM, ocrEdtCreate(NULL, tmpl, 0, NULL, 2, depv, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    depv[1] = garbage, depv[0] = label_of(GUID_USER_DB);
    REFUSED(OCR_EINVAL, ocrEdtCreate(&edt, tmpl, 0, NULL, 2, depv, EDT_PROP_NONE, NULL_HINT, NULL));
    create_block(depv[0], 1);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_end = end_after(STEPS);
    if (!is_strict())
        refused();
    events(0);
    counted(3);
    channel(5);
    latch(6);
    linked(7);
    blocks(8);
    anonymous(9);
    edt(10);
    collective(11);
    by_value(12);
    returned(13, GUID_USER_EVENT_STICKY, EDT_PROP_NONE);
    returned(14, GUID_USER_DB, EDT_PROP_NONE);
    returned(15, GUID_USER_EVENT_STICKY, EDT_PROP_FINISH);
    returned(16, GUID_USER_DB, EDT_PROP_FINISH);
    return NULL_GUID;
}
