// In each round one EDT triggers an event and another adds a dependence on it, to an EDT and to an event, at the same
// time, and others use slots of events and EDTs anew meanwhile. Whoever is first, each EDT that waits runs once, with
// the block of its round.
//
// clause: 2.8.1
// unordered: an event is connected to while another EDT satisfies it, on purpose
// env: OCR_GONE_EVENTS=1000000
// one-node: its EDTs share variables of the program
#include "late.h"
#include <stdatomic.h>

enum { MOST = 4000, KINDS = 3 };

static ocrGuid_t blocks[MOST], events[MOST], consumerTemplate;
static atomic_int ran[MOST][3], left;

static void pause_by_chance(u64 seed) {
    for (volatile u64 i = seed * 0x9E3779B97F4A7C15ULL >> 57; i != 0; i--) {
    }
}

static ocrGuid_t consumer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 round = paramv[0];
    CHECK(ocrGuidIsEq(depv[0].guid, blocks[round]));
    CHECK_EQ(*(u64 *)depv[0].ptr, round);
    CHECK_EQ(ran[round][paramv[1]]++, 0);
    if (--left == 0) {
        ocrShutdown();
    }
    return NULL_GUID;
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 round = paramv[0];
    pause_by_chance(round + 1);
    if (round % KINDS == 0) {
        OK(ocrEventSatisfy(events[round], blocks[round]));
    } else if (round % KINDS == 1) {
        OK(ocrEventSatisfySlot(events[round], blocks[round], OCR_EVENT_LATCH_DECR_SLOT));
    }
    /* The output event of this EDT, otherwise. */
    return blocks[round];
}

static ocrGuid_t depends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 round = paramv[0], params[] = {round, 0};
    pause_by_chance(round + 7);
    ocrGuid_t edt = edt_of(consumerTemplate, 2, params, 1, NULL, EDT_PROP_NONE, NULL);
    OK(ocrAddDependence(events[round], edt, 0, DB_MODE_CONST));
    params[1] = 1;
    edt_of(consumerTemplate, 2, params, 1, &events[round], EDT_PROP_NONE, NULL);
    params[1] = 2;
    ocrGuid_t next = event_of(OCR_EVENT_ONCE_T);
    edt_of(consumerTemplate, 2, params, 1, &next, EDT_PROP_NONE, NULL);
    OK(ocrAddDependence(events[round], next, 0, DB_MODE_CONST));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 rounds = scaled(MOST);
    left = (int)(3 * rounds);
    consumerTemplate = template_of(consumer, 2, 1);
    ocrGuid_t producerTemplate = template_of(satisfies, 1, 1), dependsTemplate = template_of(depends, 1, 1);
    ocrGuid_t *begins = calloc(rounds, sizeof *begins);
    for (u64 round = 0; round < rounds; round++) {
        blocks[round] = block_with(round);
        begins[round] = event_of(OCR_EVENT_STICKY_T);
        ocrGuid_t *output = NULL;
        if (round % KINDS == 0) {
            events[round] = event_of(OCR_EVENT_ONCE_T);
        } else if (round % KINDS == 1) {
            events[round] = latch_at_one();
        } else {
            output = &events[round];
        }
        edt_of(producerTemplate, 1, &round, 1, &begins[round], EDT_PROP_NONE, output);
        edt_of(dependsTemplate, 1, &round, 1, &begins[round], EDT_PROP_NONE, NULL);
    }
    for (u64 round = 0; round < rounds; round++) {
        OK(ocrEventSatisfy(begins[round], NULL_GUID));
    }
    free(begins);
    return NULL_GUID;
}
