/*
 * Collective events (OCR 1.2): generation by generation, who depends on a contributor's slot gets a
 * block of the combined elements. Every operator of the header against plain C, for each type;
 * contributions and dependences in any order, up to maxGen ahead; events as targets; sums of real
 * numbers that do not depend on the order of contributions; bad parameters and calls.
 */
// clause: ocr-reduction-event.h
// one-node: a call that is sent returns 0, also if it is refused later
#include "check.h"
#include <extensions/ocr-db-info.h>

enum { RANKS = 5, ELEMENTS = 3 };

static ocrEventParams_t params_of(redOp_t op, u16 elements, u32 ranks, u32 bound) {
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = bound,
                                                    .nbContribs = ranks,
                                                    .nbContribsPd = ranks,
                                                    .nbDatum = elements,
                                                    .arity = 2,
                                                    .op = op,
                                                    .type = COL_ALLREDUCE,
                                                    .reuseDbPerGen = true}};
    return params;
}

static ocrGuid_t collective(redOp_t op, u16 elements, u32 ranks, u32 bound) {
    ocrEventParams_t params = params_of(op, elements, ranks, bound);
    ocrGuid_t guid;
    OK(ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    return guid;
}

/* paramv: the size of an element, and ELEMENTS of them. */
static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    for (u32 i = 0; i < depc; i++) {
        u64 size;
        OK(ocrDbGetSize(depv[i].guid, &size));
        CHECK_EQ(size, paramv[0] * (paramc - 1));
        for (u32 at = 1; at < paramc; at++) {
            CHECK(memcmp((char *)depv[i].ptr + (at - 1) * paramv[0], &paramv[at], paramv[0]) == 0);
        }
    }
    return NULL_GUID;
}

static ocrGuid_t getter(u32 paramc, u64 *paramv, u32 depc, ocrGuid_t latch) {
    ocrGuid_t output, edt = spawn_with(gets, paramc, paramv, depc, NULL, EDT_PROP_NONE, &output);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    link_to(output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    return edt;
}

/* One generation with RANKS contributors of ELEMENTS elements; `all` and `right` hold them. */
static void reduces(redOp_t op, u32 size, const void *all, const void *right, ocrGuid_t latch) {
    ocrGuid_t event = collective(op, ELEMENTS, RANKS, 1);
    u64 args[1 + ELEMENTS] = {size};
    for (u32 at = 0; at < ELEMENTS; at++) {
        memcpy(&args[1 + at], (const char *)right + at * size, size);
    }
    ocrGuid_t edt = getter(1 + ELEMENTS, args, RANKS, latch);
    for (u32 i = 0; i < RANKS; i++) {
        u32 rank = (3 * i + 1) % RANKS;
        char copy[8 * ELEMENTS];
        memcpy(copy, (const char *)all + rank * ELEMENTS * size, ELEMENTS * size);
        OK(ocrAddDependenceSlot(event, rank, edt, rank, DB_MODE_RO));
        OK(ocrEventCollectiveSatisfySlot(event, copy, rank));
        memset(copy, 0xaa, sizeof copy); /* it was copied */
    }
    OK(ocrEventDestroy(event));
}

#define REDUCES(type, op, step)                                   \
    do {                                                          \
        type all[RANKS][ELEMENTS], right[ELEMENTS];               \
        for (int rank = 0; rank < RANKS; rank++) {                \
            for (int at = 0; at < ELEMENTS; at++) {               \
                u64 random = next_random(&state);                 \
                all[rank][at] = (type)(s64)(random >> 3);         \
                if ((op) & REDOP_REAL) {                          \
                    all[rank][at] = (type)(s32)random / (type)7;  \
                }                                                 \
                type a = right[at], b = all[rank][at];            \
                right[at] = (type)(rank == 0 ? b : (type)(step)); \
            }                                                     \
        }                                                         \
        reduces((op), sizeof(type), all, right, latch);           \
    } while (0)

static void operators(ocrGuid_t latch) {
    u64 state = 4711;
    for (int i = 0; i < 3; i++) {
        REDUCES(double, REDOP_F8_ADD, a + b);
        REDUCES(double, REDOP_F8_MULT, a * b);
        REDUCES(double, REDOP_F8_MIN, a < b ? a : b);
        REDUCES(double, REDOP_F8_MAX, a > b ? a : b);
        REDUCES(float, REDOP_F4_ADD, a + b);
        REDUCES(float, REDOP_F4_MULT, a * b);
        REDUCES(float, REDOP_F4_MIN, a < b ? a : b);
        REDUCES(float, REDOP_F4_MAX, a > b ? a : b);
        REDUCES(u64, REDOP_U8_ADD, a + b);
        REDUCES(u64, REDOP_U8_MULT, a * b);
        REDUCES(u64, REDOP_U8_MIN, a < b ? a : b);
        REDUCES(u64, REDOP_U8_MAX, a > b ? a : b);
        REDUCES(u64, REDOP_U8_BITAND, a & b);
        REDUCES(u64, REDOP_U8_BITOR, a | b);
        REDUCES(u64, REDOP_U8_BITXOR, a ^ b);
        REDUCES(u32, REDOP_U4_ADD, a + b);
        REDUCES(u32, REDOP_U4_MULT, a * b);
        REDUCES(u32, REDOP_U4_MIN, a < b ? a : b);
        REDUCES(u32, REDOP_U4_MAX, a > b ? a : b);
        REDUCES(u32, REDOP_U4_BITAND, a & b);
        REDUCES(u32, REDOP_U4_BITOR, a | b);
        REDUCES(u32, REDOP_U4_BITXOR, a ^ b);
        REDUCES(s64, REDOP_S8_MIN, a < b ? a : b);
        REDUCES(s64, REDOP_S8_MAX, a > b ? a : b);
        REDUCES(s32, REDOP_S4_MIN, a < b ? a : b);
        REDUCES(s32, REDOP_S4_MAX, a > b ? a : b);
        REDUCES(u8, REDOP_BS1 | REDOP_ADD, a + b);
        REDUCES(s8, REDOP_BS1 | REDOP_SIGNED | REDOP_MIN, a < b ? a : b);
        REDUCES(u16, REDOP_BS2 | REDOP_BITXOR, a ^ b);
    }
}

/* Contributions of each contributor, and its dependences, as far ahead as they may be. */
static void generations(ocrGuid_t latch) {
    enum { BOUND = 3, ROUNDS = 4 };
    ocrGuid_t event = collective(REDOP_U8_ADD, 1, 2, BOUND), edt = spawn(gets, 0, NULL, 1, NULL);
    for (u64 round = 0; round < ROUNDS; round++) {
        for (u32 who = 0; who < 2; who++) {
            u32 rank = (u32)(who + round) % 2;
            for (u64 i = 0; i < BOUND; i++) {
                u64 number = (BOUND * round + i) * (rank + 1), args[] = {8, 3 * (BOUND * round + i)};
                OK(ocrEventCollectiveSatisfySlot(event, &number, rank));
                if (round % 2 == 0) {
                    OK(ocrAddDependenceSlot(event, rank, getter(2, args, 1, latch), 0, DB_MODE_CONST));
                }
            }
            if (who == 0) {
                u64 number = 0;
                REFUSED(OCR_EPERM, ocrEventCollectiveSatisfySlot(event, &number, rank));
                if (round % 2 == 0) {
                    REFUSED(OCR_EPERM, ocrAddDependenceSlot(event, rank, edt, 0, DB_MODE_RO));
                }
            }
        }
        /* All of a round late: every second one through an event. */
        for (u64 i = 0; round % 2 == 1 && i < 2 * BOUND; i++) {
            u64 args[] = {8, 3 * (BOUND * round + i / 2)};
            ocrGuid_t late = getter(2, args, 1, latch);
            if (i % 2) {
                ocrGuid_t behind = event_of(OCR_EVENT_ONCE_T);
                link_to(behind, late, 0, DB_MODE_RO);
                OK(ocrAddDependenceSlot(event, 1, behind, 0, DB_MODE_NULL));
            } else {
                link_to(event, late, 0, DB_MODE_RO); /* the same as slot 0 */
            }
        }
    }
    OK(ocrEdtDestroy(edt));
    /* Somebody waits: by the destruction his slot is open again. */
    u64 args[] = {8, 6}, number = 6;
    edt = getter(2, args, 1, latch);
    OK(ocrAddDependenceSlot(event, 1, edt, 0, DB_MODE_RO));
    OK(ocrAddDependenceSlot(event, 0, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL));
    OK(ocrEventCollectiveSatisfySlot(event, &number, 1));
    OK(ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrEventCollectiveSatisfySlot(event, &number, 0));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(event, 1, edt, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrEventDestroy(event));
    link_to(block_with(6), edt, 0, DB_MODE_RO);
}

static void wrong(void) {
    ocrGuid_t guid, event = collective(REDOP_F8_ADD, 1, 2, EVENT_CHANNEL_UNBOUNDED);
    ocrGuid_t edt = spawn(gets, 0, NULL, 1, NULL), sticky = event_of(OCR_EVENT_STICKY_T);
    double number = 1;
    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, NULL));
#define BAD(code, member, value)                                                                       \
    do {                                                                                               \
        ocrEventParams_t bad = params_of(REDOP_F8_ADD, 1, 2, 1);                                       \
        bad.EVENT_COLLECTIVE.member = (value);                                                         \
        REFUSED(code, ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &bad)); \
    } while (0)
    BAD(OCR_EINVAL, maxGen, 0);
    BAD(OCR_EINVAL, nbContribs, 0);
    BAD(OCR_EINVAL, nbContribs, 1);
    BAD(OCR_EINVAL, nbContribsPd, 0);
    BAD(OCR_EINVAL, nbDatum, 0);
    BAD(OCR_EINVAL, op, REDOP_BS2 | REDOP_REAL);
    BAD(OCR_EINVAL, op, REDOP_F8_ADD | REDOP_BITAND);
    BAD(OCR_EINVAL, op, 7 << 7);
    BAD(OCR_EINVAL, op, 0x8000);
    BAD(OCR_EINVAL, op, 0x10);
    BAD(OCR_EINVAL, type, (collectiveType_t)3);
    BAD(OCR_ENOTSUP, type, COL_REDUCE);
    BAD(OCR_ENOTSUP, type, COL_BROADCAST);

    REFUSED(OCR_EINVAL, ocrEventCollectiveSatisfySlot(event, NULL, 0));
    REFUSED(OCR_EINVAL, ocrEventCollectiveSatisfySlot(event, &number, 2));
    REFUSED(OCR_EINVAL, ocrEventCollectiveSatisfySlot(sticky, &number, 0));
    REFUSED(OCR_EINVAL, ocrEventCollectiveSatisfySlot(edt, &number, 0));
    REFUSED(OCR_EINVAL, ocrEventCollectiveSatisfySlot(NULL_GUID, &number, 0));
    REFUSED(OCR_EPERM, ocrEventSatisfy(event, NULL_GUID));
    REFUSED(OCR_EPERM, ocrEventSatisfy(event, block_with(3)));
    REFUSED(OCR_EPERM, ocrAddDependence(NULL_GUID, event, 0, DB_MODE_NULL));
    REFUSED(OCR_EPERM, ocrAddDependence(sticky, event, 0, DB_MODE_NULL));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(event, 2, edt, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(event, 2, sticky, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(event, 1, edt, 1, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceSlot(sticky, 1, edt, 0, DB_MODE_RO));
    ocrGuid_t output = event, tmpl = template_of(gets, 0, 0);
    REFUSED(OCR_EINVAL,
            ocrEdtCreate(&guid, tmpl, 0, NULL, 0, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &output));
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEdtDestroy(edt));
    OK(ocrEventDestroy(sticky));
    OK(ocrEventDestroy(event));
}

/* An iteration of a contributor: it looks at the sum so far, contributes, and depends on the next.
 * paramv: the event, the latch, the contributor, the iteration. */
enum { CONTRIBUTORS = 7 };
static ocrGuid_t iterates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t event = ((ocrGuid_t *)paramv)[0], latch = ((ocrGuid_t *)paramv)[1];
    u64 rank = paramv[2], iteration = paramv[3];
    double numbers[] = {(rank % 2 ? -1e16 : 1e16) + (double)rank, (double)iteration};
    if (iteration > 0) {
        double *sum = depv[0].ptr, right = 0;
        CHECK_EQ(sum[1], CONTRIBUTORS * (double)(iteration - 1));
        for (int i = 0; i < CONTRIBUTORS; i++) {
            right += (i % 2 ? -1e16 : 1e16) + (double)i;
        }
        CHECK(sum[0] == right); /* to the last bit, whoever came first */
    }
    if (iteration == scaled(1500)) {
        OK(ocrEventSatisfy(latch, NULL_GUID));
        return NULL_GUID;
    }
    u64 args[] = {paramv[0], paramv[1], rank, iteration + 1};
    if (rank % 3 == 0) {
        OK(ocrEventCollectiveSatisfySlot(event, numbers, (u32)rank));
    }
    ocrGuid_t next = spawn(iterates, paramc, args, depc, NULL);
    OK(ocrAddDependenceSlot(event, (u32)rank, next, 0, DB_MODE_RO));
    if (rank % 3 != 0) {
        OK(ocrEventCollectiveSatisfySlot(event, numbers, (u32)rank));
    }
    return NULL_GUID;
}

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    OK(ocrEventDestroy(((ocrGuid_t *)paramv)[0]));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t one = {.EVENT_LATCH = {.counter = 1 + CONTRIBUTORS}};
    ocrGuid_t latch, event = collective(REDOP_F8_ADD, 2, CONTRIBUTORS, 1);
    OK(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &one));
    link_to(latch, spawn(destroys, 1, (u64 *)&event, 1, NULL), 0, DB_MODE_NULL);
    wrong();
    operators(latch);
    generations(latch);
    /* One that is left with a contribution and somebody who waits: it goes at the end of the run. */
    u64 number = 1;
    ocrGuid_t left = collective(REDOP_U8_ADD, 1, 2, 1);
    OK(ocrEventCollectiveSatisfySlot(left, &number, 1));
    OK(ocrAddDependenceSlot(left, 0, spawn(gets, 0, NULL, 1, NULL), 0, DB_MODE_RO));
    for (u64 rank = 0; rank < CONTRIBUTORS; rank++) {
        u64 args[] = {*(u64 *)&event, *(u64 *)&latch, rank, 0};
        link_to(NULL_GUID, spawn(iterates, 4, args, 1, NULL), 0, DB_MODE_NULL);
    }
    OK(ocrEventSatisfy(latch, NULL_GUID));
    return NULL_GUID;
}
