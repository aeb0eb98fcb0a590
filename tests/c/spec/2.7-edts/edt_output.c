/*
 * 2.7.3: the output event carries the block that the EDT returns, or nothing; an EDT that returns an
 * event passes on what that one brings, whenever it does, of each kind that may be satisfied before;
 * many waiters, chains of outputs.
 */
// clause: 2.7.3
#include "check.h"

static ocrGuid_t new_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr);
    *(u64 *)addr = paramv[0];
    return block; /* still acquired: released as the EDT ends */
}

static ocrGuid_t returns_param(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return ((ocrGuid_t *)paramv)[0];
}

static ocrGuid_t adds_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return depv[0].guid;
}

static ocrGuid_t expects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < depc; i++) {
        if (paramv[0] == 0) {
            CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
        } else {
            CHECK_EQ(number_in(depv[i]), paramv[0]);
        }
    }
    return NULL_GUID;
}

static void waiters(ocrGuid_t source, u64 value, u32 count) {
    for (u32 i = 1; i <= count; i++) {
        ocrGuid_t edt = spawn(expects, 1, &value, i, NULL);
        for (u32 slot = 0; slot < i; slot++) {
            link_to(source, edt, slot, DB_MODE_RO);
        }
    }
}

/* An EDT that waits for the call of go, its output connected first. */
static ocrGuid_t held_with(ocrEdt_t function, u64 param, u16 flags, ocrGuid_t *output) {
    return spawn_with(function, 1, &param, 1, NULL, flags, output);
}

static ocrGuid_t held(ocrEdt_t function, u64 param, ocrGuid_t *output) {
    return held_with(function, param, EDT_PROP_NONE, output);
}

/* An event that stays until it has served one dependence, at least. */
static ocrGuid_t lasting_event(u64 which) {
    static const ocrEventTypes_t types[] = {OCR_EVENT_STICKY_T, OCR_EVENT_IDEM_T, OCR_EVENT_COUNTED_T,
                                            OCR_EVENT_CHANNEL_T};
    ocrEventParams_t params;
    ocrGuid_t event;
    if (types[which] == OCR_EVENT_COUNTED_T) {
        params.EVENT_COUNTED = (ocrEventCounterParams_t){.nbDeps = 1};
    } else {
        params.EVENT_CHANNEL = (ocrEventChannelParams_t){.maxGen = 1, .nbSat = 1, .nbDeps = 1};
    }
    OK(ocrEventCreateParams(&event, types[which], EVT_PROP_NONE, &params));
    return event;
}

static void go(ocrGuid_t edt) { link_to(NULL_GUID, edt, 0, DB_MODE_NULL); }

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, edt = held(new_block, 88, &output);
    waiters(output, 88, 20);
    go(edt);

    edt = held(returns_param, 0, &output);
    waiters(output, 0, 20);
    go(edt);

    /* An event (one that stays: a once event could be gone), satisfied before, meanwhile or after. */
    for (u64 i = 0; i < 96; i++) {
        ocrGuid_t event = lasting_event(i / 24);
        ocrGuid_t block = i % 4 < 2 ? block_with(i + 1) : NULL_GUID, follows;
        edt = held_with(returns_param, *(u64 *)&event, i % 24 < 12 ? EDT_PROP_NONE : EDT_PROP_FINISH, &output);
        waiters(output, i % 4 < 2 ? i + 1 : 0, 4);
        switch (i % 3) {
        case 0:
            OK(ocrEventSatisfy(event, block));
            go(edt);
            break;
        case 1:
            go(edt);
            OK(ocrEventSatisfy(event, block));
            break;
        case 2:
            /* The output event of one EDT brings what the other one of the pair waits for. */
            follows = held(returns_param, *(u64 *)&block, &output);
            link_to(output, event, 0, DB_MODE_NULL);
            go(edt);
            go(follows);
            break;
        }
    }

    /* A chain of a thousand EDTs, each of which takes the block and returns it. */
    ocrGuid_t tmpl = template_of(adds_one, 0, 1), first = NULL_GUID, next;
    for (int i = 0; i < 1000; i++) {
        ocrGuid_t before = output;
        next = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
        if (i == 0) {
            first = next;
        } else {
            link_to(before, next, 0, i % 2 ? DB_MODE_EW : DB_MODE_RW);
        }
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    waiters(output, 1500, 3);
    link_to(block_with(500), first, 0, DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(all, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    go(edt);
    return NULL_GUID;
}
