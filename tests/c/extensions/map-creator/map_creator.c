/* Maps that create their objects when they are first asked for: once each, whoever asks, and how many at a time. */
// clause: ocr-map-creator.h
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-map-creator.h>
#include <stdatomic.h>

#define SIZE 200
#define ASKERS 16

static atomic_int created[SIZE];
static ocrGuid_t answers[ASKERS][SIZE];

/* Sticky events; some take their time, before or after they are there, so that others ask meanwhile. */
static void event_creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    CHECK_EQ(paramc, 2);
    CHECK_EQ(paramv[0], 11);
    CHECK_EQ(paramv[1], 22);
    CHECK_EQ(guidc, 1);
    atomic_fetch_add(&created[index], 1);
    CHECK_EQ(ocrGetIdType(lid), OCR_ID_LID);
    ocrGuid_t guid = NULL_GUID, copy = lid;
    REFUSED(OCR_EPEND, ocrGetGuid(&guid, lid));
    /* Nothing else takes it, nor makes it something else. */
    REFUSED(OCR_EINVAL, ocrEventDestroy(lid));
    REFUSED(OCR_EINVAL, ocrEventCreate(&lid, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&lid, guidv[0], 1, paramv, 1, NULL, GUID_PROP_CHECK, NULL_HINT, NULL));
    CHECK(ocrGuidIsEq(lid, copy));
    if (index % 50 == 0)
        breathe();
    OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | EVT_PROP_MAPPED));
    CHECK_EQ(ocrGetIdType(lid), OCR_ID_GUID);
    OK(ocrGetGuid(&guid, copy));
    CHECK(ocrGuidIsEq(guid, lid));
    REFUSED(OCR_EINVAL, ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED));
    REFUSED(OCR_EINVAL, ocrEventCreate(&copy, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED));
    OK(ocrEventSatisfy(lid, NULL_GUID));
    if (index % 50 == 1)
        breathe();
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = 0; i < SIZE; i++)
        OK(ocrMapGet(&answers[paramv[0]][i], *(ocrGuid_t *)depv[0].ptr, i));
    return NULL_GUID;
}

#define CHAIN 40
static ocrGuid_t chain;

/* Data blocks. The creator asks for the one before, so who asks for the last has all made. */
static void block_creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    CHECK_EQ(paramc, 0);
    CHECK_EQ(guidc, 0);
    CHECK(paramv == NULL);
    CHECK(guidv == NULL);
    ocrGuid_t before;
    if (index != 0)
        OK(ocrMapGet(&before, chain, index - 1));
    u64 *number;
    OK(ocrDbCreate(&lid, (void **)&number, sizeof *number, DB_PROP_MAPPED, NULL_HINT, NO_ALLOC));
    *number = index * index;
    OK(ocrDbRelease(lid));
}

static ocrGuid_t gets_last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last;
    OK(ocrMapGet(&last, chain, CHAIN - 1));
    return last;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depv;
    for (u64 i = 0; i < depc; i++) {
        CHECK_EQ(number_in(depv[i]), i * i);
        OK(ocrDbDestroy(depv[i].guid));
    }
    return NULL_GUID;
}

static ocrGuid_t chained(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), (CHAIN - 1) * (CHAIN - 1));
    CHECK(ocrGuidIsEq(depv[0].guid, depv[1].guid));
    ocrGuid_t blocks[CHAIN], done;
    for (u64 i = 0; i < CHAIN; i++)
        OK(ocrMapGet(&blocks[i], chain, i));
    OK(ocrMapDestroy(chain));
    spawn_with(looks, 0, NULL, CHAIN, blocks, EDT_PROP_NONE, &done);
    return done;
}

static ocrGuid_t asked(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t map = *(ocrGuid_t *)depv[0].ptr, out;
    for (u64 i = 0; i < SIZE; i++) {
        CHECK_EQ(created[i], 1);
        for (u64 a = 1; a < ASKERS; a++)
            CHECK(ocrGuidIsEq(answers[a][i], answers[0][i]));
        for (u64 j = 0; j < i; j++)
            CHECK(!ocrGuidIsEq(answers[0][j], answers[0][i]));
    }
    /* Objects outlive their map. */
    OK(ocrMapDestroy(map));
    REFUSED(OCR_EINVAL, ocrMapDestroy(map));
    REFUSED(OCR_EINVAL, ocrMapGet(&out, map, 0));
    for (u64 i = 0; i < SIZE; i++)
        OK(ocrEventDestroy(answers[0][i]));
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t deps[ASKERS + 1], done[2], *map;
    ocrGuid_t holder = block_of(sizeof *map, (void **)&map);
    ocrGuid_t tmpl = template_of(asks, 1, 1), guids[] = {tmpl};
    u64 numbers[] = {11, 22};
    OK(ocrMapCreate(map, SIZE, event_creator, 2, numbers, 1, guids));
    numbers[0] = numbers[1] = 0; /* they were copied */
    guids[0] = NULL_GUID;
    OK(ocrDbRelease(holder));

    ocrGuid_t last = spawn_with(asked, 0, NULL, ASKERS + 1, NULL, EDT_PROP_NONE, &done[0]);
    ocrGuid_t end = end_after(2);
    link_to(done[0], end, 0, DB_MODE_NULL);
    link_to(holder, last, 0, DB_MODE_RO);
    for (u64 a = 0; a < ASKERS; a++) {
        ocrGuid_t edt = edt_of(tmpl, 1, &a, 1, NULL, EDT_PROP_NONE, &deps[a]);
        link_to(deps[a], last, (u32)a + 1, DB_MODE_NULL);
        link_to(holder, edt, 0, DB_MODE_RO);
    }
    OK(ocrEdtTemplateDestroy(tmpl));

    OK(ocrMapCreate(&chain, CHAIN, block_creator, 0, NULL, 0, NULL));
    ocrGuid_t chain_end = spawn_with(chained, 0, NULL, 2, NULL, EDT_PROP_NONE, &done[1]), of[2];
    link_to(done[1], end, 1, DB_MODE_NULL);
    for (u32 i = 0; i < 2; i++) {
        ocrGuid_t edt = spawn_with(gets_last, 0, NULL, 1, NULL, EDT_PROP_NONE, &of[i]);
        link_to(of[i], chain_end, i, DB_MODE_RO);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}
