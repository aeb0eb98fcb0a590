// An EDT that crashes behind its N-th call, the first time, has made none of them when it runs again (OCR_RETRY):
// events are satisfied once, dependences added once, EDTs created once, objects destroyed once, texts printed once. It
// is run for each N. What it has made is gone: the GUIDs of the last attempt are those that others see.
//
// clause: crash
// env: OCR_RETRY=1
// stdout-lines: 14 made
// stderr: ocr: note: OCR_RETRY: 13 attempts crashed and were undone; 13 EDTs ended well after that.
// stderr-without: does not run again
// needs: signals
// unordered: an output event is connected when its EDT can already run, but for the attempt
#include "crash.h"

#define CALLS 13
#define ROUNDS (CALLS + 1)

/* How often each round has begun, and how many EDTs it has let run. No global variable is undone. */
static u32 begun[ROUNDS], children[ROUNDS];

/* The EDT that this one creates. */
static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    CHECK_EQ(depc, 2);
    CHECK_EQ(number_in(depv[0]), 11 + paramv[0]);
    CHECK_EQ(number_in(depv[1]), 3);
    __atomic_fetch_add(&children[paramv[0]], 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"it is destroyed before it can run");
    return NULL_GUID;
}

/* depv: 0 a block that it destroys, 1 the GUIDs of an event that it satisfies, a latch that it counts down, an event,
 * an EDT and a template that it destroys, 2 a block that it releases. */
static ocrGuid_t calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 1);
    CHECK_EQ(depc, 3);
    const u64 round = paramv[0];
    const bool crashes = ++begun[round] == 1;
    const ocrGuid_t *known = depv[1].ptr;
    u64 made = 0;
    u64 *released = depv[2].ptr;
    CHECK_EQ(*released, 2);
    *released = 3;
#define DONE                                                                                                           \
    do {                                                                                                               \
        if (++made == round && crashes)                                                                                \
            of_null((ocrEdtDep_t[2]){{.ptr = NULL}, {.ptr = NULL}});                                                   \
    } while (0)
    void *start;
    ocrGuid_t block = block_of(sizeof(u64), &start), event = event_of(OCR_EVENT_STICKY_T);
    *(u64 *)start = 11 + round;
    DONE; /* 1: a block and an event are made */
    ocrGuid_t tmpl = template_of(child, 1, 2);
    DONE; /* 2: a template */
    OK(ocrDbRelease(block));
    DONE; /* 3: the block is released */
    ocrGuid_t depends[2] = {event, UNINITIALIZED_GUID}, output;
    ocrGuid_t edt = edt_of(tmpl, 1, paramv, 2, depends, EDT_PROP_FINISH, &output);
    DONE; /* 4: an EDT, which waits for the event */
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEventSatisfy(event, block));
    DONE; /* 5: the event has triggered */
    OK(ocrDbRelease(depv[2].guid));
    link_to(depv[2].guid, edt, 1, DB_MODE_CONST);
    DONE; /* 6: the EDT has all that it waits for */
    OK(ocrEventSatisfy(known[0], depv[2].guid));
    DONE; /* 7: an event of others */
    OK(ocrEventSatisfySlot(known[1], NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    DONE; /* 8: a latch, which others count, too */
    link_to(output, known[1], OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    DONE; /* 9: the end of the new EDT counts it as well */
    OK(ocrEventDestroy(known[2]));
    OK(ocrEdtDestroy(known[3]));
    DONE; /* 10: an event and an EDT are gone */
    OK(ocrEdtTemplateDestroy(known[4]));
    DONE; /* 11: a template, too */
    OK(ocrDbDestroy(depv[0].guid));
    DONE; /* 12: a block that it holds */
    ocrPrintf("made\n");
    DONE; /* 13 */
    CHECK_EQ(made, CALLS);
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2 * ROUNDS);
    for (u64 round = 0; round < ROUNDS; round++) {
        CHECK_EQ(number_in(depv[2 * round]), 3);
        CHECK_EQ(children[round], 1);
        CHECK_EQ(begun[round], round == 0 ? 1 : 2);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = spawn(looks, 0, NULL, 2 * ROUNDS, NULL), tmpl = template_of(calls, 1, 3);
    for (u64 round = 0; round < ROUNDS; round++) {
        void *start;
        ocrGuid_t block = block_of(5 * sizeof(ocrGuid_t), &start), latch;
        ocrEventParams_t params = {.EVENT_LATCH = {.counter = 2}};
        OK(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
        ocrGuid_t *known = start;
        known[0] = event_of(OCR_EVENT_ONCE_T);
        known[1] = latch;
        known[2] = event_of(OCR_EVENT_STICKY_T);
        known[3] = spawn(never, 0, NULL, 1, NULL);
        known[4] = template_of(never, 0, 0);
        link_to(known[0], end, (u32)(2 * round), DB_MODE_CONST);
        link_to(latch, end, (u32)(2 * round + 1), DB_MODE_NULL);
        OK(ocrDbRelease(block));
        ocrGuid_t all[3] = {block_with(1), block, block_with(2)};
        edt_of(tmpl, 1, &round, 3, all, EDT_PROP_NONE, NULL);
    }
    return NULL_GUID;
}
