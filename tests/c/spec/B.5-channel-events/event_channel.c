/*
 * B.5 channel events: the k-th satisfaction meets the k-th dependence, whichever comes first; up to
 * maxGen of either wait, and one more is refused; what comes through other events is not. EDTs,
 * several slots of one, and events as targets; blocks and none. Destroyed with full queues. Many
 * producers and consumers at once: each satisfaction reaches exactly one.
 */
// clause: B.5 B.5.2 B.3.3
// deviates: B.5
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { SIDES = 8 };
static atomic_uchar reached[100 * 1000];

static ocrGuid_t channel(u32 bound) {
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = bound, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t guid;
    OK(ocrEventCreateParams(&guid, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params));
    return guid;
}

/* Expects paramv[0], paramv[0] + 1, ... in its slots; 1000 stands for no block. */
static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < depc; i++) {
        if (paramv[0] + i == 1000) {
            CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
        } else {
            CHECK_EQ(number_in(depv[i]), paramv[0] + i);
        }
    }
    return NULL_GUID;
}

static ocrGuid_t getter(u64 value, u32 depc, ocrGuid_t latch) {
    ocrGuid_t output, edt = spawn_with(gets, 1, &value, depc, NULL, EDT_PROP_NONE, &output);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    link_to(output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    return edt;
}

static void send(ocrGuid_t event, u64 value) {
    OK(ocrEventSatisfy(event, value == 1000 ? NULL_GUID : block_with(value)));
}

static void in_order(ocrGuid_t latch) {
    /* Four ahead on one side, then four ahead on the other, and so on, over three of its length. */
    ocrGuid_t event = channel(4);
    u64 sent = 990, taken = 990;
    for (int round = 0; round < 6; round++) {
        bool sends = round % 2 == 0;
        for (int i = 0; i < (round == 0 ? 4 : 8); i++) {
            if (sends) {
                send(event, sent++);
            } else if (taken % 3) {
                link_to(event, getter(taken++, 1, latch), 0, DB_MODE_RO);
            } else {
                ocrGuid_t behind = event_of(OCR_EVENT_STICKY_T);
                link_to(behind, getter(taken++, 1, latch), 0, DB_MODE_RO);
                link_to(event, behind, 0, DB_MODE_NULL);
            }
        }
        if (sends) {
            REFUSED(OCR_EPERM, ocrEventSatisfy(event, NULL_GUID));
            REFUSED(OCR_EPERM, ocrAddDependence(NULL_GUID, event, 0, DB_MODE_NULL));
        } else {
            ocrGuid_t edt = spawn(gets, 1, &taken, 1, NULL);
            REFUSED(OCR_EPERM, ocrAddDependence(event, edt, 0, DB_MODE_RO));
            REFUSED(OCR_EPERM, ocrAddDependence(event, event_of(OCR_EVENT_ONCE_T), 0, DB_MODE_NULL));
            OK(ocrEdtDestroy(edt));
        }
    }
    while (sent < taken) {
        send(event, sent++);
    }
    OK(ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(event, NULL_GUID));
    REFUSED(OCR_EINVAL, ocrEventDestroy(event));
}

static void through_others(ocrGuid_t latch) {
    /* One EDT has the channel on five slots, the last of which is given at creation. */
    ocrGuid_t event = channel(EVENT_CHANNEL_UNBOUNDED), edt = getter(20, 5, latch);
    for (u32 slot = 0; slot < 5; slot++) {
        link_to(event, edt, slot, DB_MODE_CONST);
    }
    for (u64 i = 20; i < 25; i++) {
        send(event, i);
    }
    u64 value = 25;
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    ocrGuid_t output, depv[] = {event, UNINITIALIZED_GUID};
    edt = spawn_with(gets, 1, &value, 2, depv, EDT_PROP_NONE, &output);
    link_to(output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    link_to(block_with(26), edt, 1, DB_MODE_RO);
    send(event, 25);
    OK(ocrEventDestroy(event));

    /* What comes through other events waits even where the channel is full. */
    event = channel(1);
    for (u64 i = 30; i < 40; i++) {
        ocrGuid_t once = event_of(OCR_EVENT_ONCE_T);
        link_to(once, event, 0, DB_MODE_NULL);
        send(once, i);
    }
    REFUSED(OCR_EPERM, ocrEventSatisfy(event, NULL_GUID));
    for (u64 i = 30; i < 40; i++) {
        link_to(event, getter(i, 1, latch), 0, DB_MODE_RO);
    }
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(event, 1, event_of(OCR_EVENT_ONCE_T), 0, DB_MODE_RO));
    OK(ocrEventDestroy(event));

    /* A full queue of satisfactions goes with the event; dependences are open again. */
    u64 many = scaled(20000);
    event = channel(EVENT_CHANNEL_UNBOUNDED);
    for (u64 i = 0; i < many; i++) {
        OK(ocrEventSatisfy(event, NULL_GUID));
    }
    OK(ocrEventDestroy(event));
    event = channel(EVENT_CHANNEL_UNBOUNDED);
    ocrGuid_t edts[100], behind = event_of(OCR_EVENT_STICKY_T);
    for (int i = 0; i < 100; i++) {
        edts[i] = getter(60, 1, latch);
        link_to(event, edts[i], 0, DB_MODE_RO);
        link_to(event, behind, 0, DB_MODE_NULL);
    }
    OK(ocrEventDestroy(event));
    OK(ocrEventSatisfy(behind, NULL_GUID));
    OK(ocrEventDestroy(behind));
    ocrGuid_t block = block_with(60);
    for (int i = 0; i < 100; i++) {
        link_to(block, edts[i], 0, DB_MODE_RO);
    }
}

static ocrGuid_t takes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 number = number_in(depv[0]);
    CHECK(number < sizeof reached);
    CHECK_EQ(atomic_fetch_add(&reached[number], 1), 0);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* paramv: the channel, the first number, how many. */
static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 i = 0; i < paramv[2]; i++) {
        OK(ocrEventSatisfy(((ocrGuid_t *)paramv)[0], block_with(paramv[1] + i)));
    }
    return NULL_GUID;
}

static ocrGuid_t consumes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(takes, 0, 1);
    for (u64 i = 0; i < paramv[2]; i++) {
        link_to(((ocrGuid_t *)paramv)[0], edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t market(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 each = paramv[1];
    for (u64 i = 0; i < SIDES; i++) {
        u64 args[] = {paramv[0], i * each, each};
        spawn(produces, 3, args, 0, NULL);
        spawn(consumes, 3, args, 0, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t after_market(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 i = 0; i < SIDES * paramv[1]; i++) {
        CHECK_EQ(atomic_load(&reached[i]), 1);
    }
    OK(ocrEventDestroy(((ocrGuid_t *)paramv)[0]));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t opens_market(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = channel(EVENT_CHANNEL_UNBOUNDED), done, hold = UNINITIALIZED_GUID;
    u64 args[] = {*(u64 *)&event, scaled(50000) / SIDES};
    ocrGuid_t edt = spawn_with(market, 2, args, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(after_market, 2, args, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

/* The output event of each is the channel that the next one waits for, and each creates the next but
 * one on its own: two channels of one generation, made once. paramv: the round, the channels, the
 * latch. */
static ocrGuid_t plays(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    enum { ROUNDS = 200 };
    ocrGuid_t *sides = (ocrGuid_t *)paramv + 1, output = sides[(paramv[0] + 1) % 2];
    u64 args[] = {paramv[0] + 2, paramv[1], paramv[2], paramv[3]};
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    *(u64 *)depv[0].ptr += 1;
    if (args[0] < ROUNDS) {
        ocrGuid_t edt = spawn_with(plays, paramc, args, depc, NULL, EDT_PROP_OEVT_VALID, &output);
        /* Here, and not before: the channel has room for one dependence, which this EDT was. */
        link_to(sides[paramv[0] % 2], edt, 0, DB_MODE_EW);
    } else {
        if (args[0] == ROUNDS) {
            link_to(sides[paramv[0] % 2], getter(ROUNDS, 1, sides[2]), 0, DB_MODE_RO);
        }
        OK(ocrEventSatisfy(sides[2], NULL_GUID));
    }
    return depv[0].guid;
}

static void ping_pong(ocrGuid_t latch) {
    ocrGuid_t args[] = {NULL_GUID, channel(1), channel(1), latch}, output;
    for (u64 i = 0; i < 2; i++) {
        args[0].guid = (s64)i;
        output = args[1 + (i + 1) % 2];
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        link_to(args[1 + i], spawn_with(plays, 4, (u64 *)args, 1, NULL, EDT_PROP_OEVT_VALID, &output), 0, DB_MODE_EW);
    }
    send(args[1], 0);
}

/* Without parameters any number wait. */
static void without_parameters(ocrGuid_t latch) {
    ocrGuid_t events[2];
    OK(ocrEventCreate(&events[0], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG));
    OK(ocrEventCreateParams(&events[1], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, NULL));
    for (int n = 0; n < 2; n++) {
        for (u64 i = 0; i < 200; i++)
            send(events[n], i);
        for (u64 i = 0; i < 400; i++)
            link_to(events[n], getter(i, 1, latch), 0, DB_MODE_RO);
        for (u64 i = 200; i < 400; i++)
            send(events[n], i);
        OK(ocrEventDestroy(events[n]));
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEventChannelParams_t bad[] = {{0, 1, 1}, {4, 0, 1}, {4, 1, 0}, {4, 2, 1}, {4, 1, 2}};
    ocrGuid_t guid, latch;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ocrEventParams_t params = {.EVENT_CHANNEL = bad[i]};
        REFUSED(OCR_EINVAL, ocrEventCreateParams(&guid, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
    }
    ocrEventParams_t one = {.EVENT_LATCH = {.counter = 1}};
    OK(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &one));
    link_to(latch, spawn(opens_market, 0, NULL, 1, NULL), 0, DB_MODE_NULL);
    in_order(latch);
    without_parameters(latch);
    through_others(latch);
    OK(ocrEventSatisfy(channel(1), NULL_GUID)); /* left as it is */
    ping_pong(latch);
    OK(ocrEventSatisfy(latch, NULL_GUID));
    return NULL_GUID;
}
