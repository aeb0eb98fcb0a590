/*
 * Maps whose objects are destroyed: the next call for the index makes a new one, of whatever kind, and for several
 * that ask at the same time the same one. What ends by itself is not made again.
 */
// clause: ocr-map-creator.h
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-map-creator.h>
#include <stdatomic.h>

enum { BLOCK, STICKY, CHANNEL, WAITING, ENDED, KINDS };
enum { ASKERS = 8, ROUNDS = 50 };
static atomic_int created[KINDS], ran;
static ocrGuid_t map, answers[ASKERS], has_run;

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_fetch_add(&ran, 1);
    return NULL_GUID;
}

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)paramv, (void)guidc;
    u64 *number;
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 1, .nbSat = 1, .nbDeps = 1}};
    int times = atomic_fetch_add(&created[index], 1);
    switch (index) {
    case BLOCK:
        OK(ocrDbCreate(&lid, (void **)&number, sizeof *number, DB_PROP_MAPPED, NULL_HINT, NO_ALLOC));
        *number = (u64)times;
        OK(ocrDbRelease(lid));
        break;
    case STICKY:
        OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | EVT_PROP_MAPPED));
        break;
    case CHANNEL:
        OK(ocrEventCreateParams(&lid, OCR_EVENT_CHANNEL_T, EVT_PROP_MAPPED, &channel));
        break;
    default:
        OK(ocrEdtCreate(&lid, guidv[0], 0, NULL, 1, NULL, EDT_PROP_MAPPED, NULL_HINT,
                        index == ENDED ? &has_run : NULL));
    }
}

static ocrGuid_t get(u64 index) {
    ocrGuid_t object, again;
    OK(ocrMapGet(&object, map, index));
    OK(ocrMapGet(&again, map, index));
    CHECK(ocrGuidIsEq(object, again));
    return object;
}

/* Parameters: who asks. */
static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    answers[paramv[0]] = get(BLOCK);
    return NULL_GUID;
}

static ocrGuid_t round_of(u64 number);

/* Slot 0: the block that all have got. Parameters: the round. */
static ocrGuid_t ends_round(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (int i = 1; i < ASKERS; i++)
        CHECK(ocrGuidIsEq(answers[i], answers[0]));
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    OK(ocrDbDestroy(depv[0].guid));
    /* Destroyed, and held yet: it is not the map's any more. */
    CHECK_EQ(created[BLOCK], (int)paramv[0] + 1);
    if (paramv[0] + 1 < ROUNDS)
        return round_of(paramv[0] + 1);
    CHECK(!ocrGuidIsEq(get(BLOCK), depv[0].guid));
    CHECK_EQ(created[BLOCK], ROUNDS + 1);
    OK(ocrDbDestroy(get(BLOCK)));
    OK(ocrMapDestroy(map));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t passes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t edt = spawn(ends_round, 1, paramv, 1, NULL);
    link_to(answers[0], edt, 0, DB_MODE_RO);
    return NULL_GUID;
}

/* All ask at once for the block that is not there any more. */
static ocrGuid_t round_of(u64 number) {
    ocrGuid_t done[ASKERS], ask[ASKERS], next = spawn(passes_on, 1, &number, ASKERS, NULL);
    for (u64 i = 0; i < ASKERS; i++) {
        ask[i] = spawn_with(asks, 1, &i, 1, NULL, EDT_PROP_NONE, &done[i]);
        link_to(done[i], next, (u32)i, DB_MODE_NULL);
    }
    for (int i = 0; i < ASKERS; i++)
        link_to(NULL_GUID, ask[i], 0, DB_MODE_NULL);
    return NULL_GUID;
}

/* The EDT of ENDED has run. */
static ocrGuid_t after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(ran, 1);
    CHECK_EQ((u64)get(ENDED).guid, paramv[0]);
    CHECK_EQ(created[ENDED], 1);
    return round_of(0);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(runs, 0, 1);
    OK(ocrMapCreate(&map, KINDS, creator, 0, NULL, 1, &tmpl));
    for (int times = 0; times < 3; times++) {
        ocrGuid_t before[] = {get(STICKY), get(CHANNEL), get(WAITING)};
        OK(ocrEventDestroy(before[0]));
        OK(ocrEventDestroy(before[1]));
        OK(ocrEdtDestroy(before[2]));
        for (u64 index = STICKY; index <= WAITING; index++) {
            CHECK_EQ(created[index], times + 1);
            CHECK(!ocrGuidIsEq(get(index), before[index - STICKY]));
            CHECK_EQ(created[index], times + 2);
        }
        /* What is refused destroys nothing. */
        REFUSED(OCR_EINVAL, ocrEventDestroy(before[0]));
        CHECK_EQ(created[STICKY], times + 2);
        OK(ocrEventDestroy(get(STICKY)));
        OK(ocrEventDestroy(get(CHANNEL)));
        OK(ocrEdtDestroy(get(WAITING)));
        for (u64 index = STICKY; index <= WAITING; index++)
            atomic_fetch_sub(&created[index], 1);
    }
    ocrGuid_t ended = get(ENDED);
    u64 bits = (u64)ended.guid;
    ocrGuid_t last = spawn(after, 1, &bits, 1, NULL);
    link_to(has_run, last, 0, DB_MODE_NULL);
    link_to(NULL_GUID, ended, 0, DB_MODE_NULL);
    return NULL_GUID;
}
