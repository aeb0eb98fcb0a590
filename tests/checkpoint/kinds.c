/* An object of each kind is left in the middle of its life by a checkpoint. The first run is killed behind it; one that
 * goes on from there brings each to its end. */
#include "common.h"

#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-map-creator.h>
#include <extensions/ocr-reduction-event.h>

/* What must happen before the end, a pre-slot of the last EDT each. */
enum {
    ONCE, STICKY, LATCH, COUNTED_FIRST, COUNTED_SECOND, CHANNEL_FULL, CHANNEL_EMPTY, COLLECTIVE_FIRST,
    COLLECTIVE_SECOND, LABELED, DEFERRED, MAPPED, CREATED, SCOPE, BY_VALUE, DESTROYED, MANY_PARAMS, GONE, OUTPUT, ALL
};

enum { PARAMS = 100, LABELS = 300, MAP_SIZE = 8 };

/* The GUIDs that the run which goes on has from a data block. */
typedef struct {
    ocrGuid_t end, once, sticky, latch, counted, full, empty, collective, label, deferred, range, map, creators,
        created, gate, now, gone, after_gone, gone_output, after_output, stale, destroyed, hinted;
} State;

static ocrGuid_t expects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t has_many(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    CHECK_EQ(paramc, PARAMS);
    for (u64 i = 0; i < PARAMS; i++)
        CHECK_EQ(paramv[i], 3 * i);
    return NULL_GUID;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* An EDT with open pre-slots, whose end is one of those that the last EDT waits for. */
static ocrGuid_t before_end(ocrGuid_t end, u32 what, ocrEdt_t function, u32 paramc, u64 *paramv, u32 depc) {
    ocrGuid_t output, edt = spawn_with(function, paramc, paramv, depc, NULL, EDT_PROP_NONE, &output);
    link_to(output, end, what, DB_MODE_NULL);
    return edt;
}

static ocrGuid_t expecting(ocrGuid_t end, u32 what, u64 value) {
    return before_end(end, what, expects, 1, &value, 1);
}

static ocrGuid_t has_child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t child = spawn(nothing, 0, NULL, 1, NULL);
    link_to(*(ocrGuid_t *)paramv, child, 0, DB_MODE_NULL);
    return NULL_GUID;
}

static ocrGuid_t of_tuple(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    return addValueToGuid(start, (u64)(params[0] + tuple[0]) * skip);
}

static void makes_event(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)index, (void)guidc, (void)guidv;
    CHECK_EQ(paramc, 1);
    CHECK_EQ(paramv[0], 5);
    OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | EVT_PROP_MAPPED));
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    printf("all kinds have ended\n");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    State *s = depv[0].ptr;
    die_unless_restored(1);
    u64 one = 20, two = 22;
    /* What is left of events that are gone is known as long as nothing else takes their places. */
    link_to(s->gone, s->after_gone, 0, DB_MODE_RO);
    link_to(s->gone_output, s->after_output, 0, DB_MODE_NULL);
    for (int i = 0; i < 2000; i++)
        CHECK(!ocrGuidIsEq(event_of(OCR_EVENT_STICKY_T), s->stale));
    OK(ocrEventSatisfy(s->once, block_with(11)));
    link_to(s->sticky, expecting(s->end, STICKY, 12), 0, DB_MODE_RO);
    OK(ocrEventSatisfySlot(s->latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    OK(ocrEventSatisfySlot(s->latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    link_to(s->counted, expecting(s->end, COUNTED_SECOND, 14), 0, DB_MODE_RO);
    link_to(s->full, expecting(s->end, CHANNEL_FULL, 15), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(s->empty, block_with(16)));
    OK(ocrEventCollectiveSatisfySlot(s->collective, &two, 1));
    OK(ocrAddDependenceSlot(s->collective, 1, expecting(s->end, COLLECTIVE_SECOND, one + two), 0, DB_MODE_CONST));
    link_to(s->label, expecting(s->end, LABELED, 17), 0, DB_MODE_RO);
    OK(ocrEventCreate(&s->deferred, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    OK(ocrEventSatisfy(s->deferred, block_with(18)));
    ocrGuid_t label;
    for (u64 i = 2; i < LABELS; i++) {
        OK(ocrGuidFromIndex(&label, s->range, i));
        OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | GUID_PROP_CHECK));
    }
    s64 tuple = 3;
    OK(ocrGuidFromLabel(&label, s->map, &tuple));
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    OK(ocrEventSatisfy(label, block_with(19)));
    link_to(label, expecting(s->end, MAPPED, 19), 0, DB_MODE_RO);
    ocrGuid_t created, another;
    OK(ocrMapGet(&created, s->creators, 2));
    CHECK(ocrGuidIsEq(created, s->created));
    OK(ocrMapGet(&another, s->creators, 3));
    CHECK(!ocrGuidIsEq(another, created));
    OK(ocrEventSatisfy(created, block_with(24)));
    link_to(created, expecting(s->end, CREATED, 24), 0, DB_MODE_RO);
    ocrHint_t hint;
    u64 priority;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrGetHint(s->hinted, &hint));
    OK(ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &priority));
    CHECK_EQ(priority, 9);
    OK(ocrEventSatisfy(s->gate, NULL_GUID));
    return NULL_GUID;
}

/* Becomes runnable what reads a block that is destroyed, and asks for the checkpoint. */
static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    State *s = depv[0].ptr;
    OK(ocrCheckpoint());
    OK(ocrEventSatisfy(s->now, NULL_GUID));
    OK(ocrDbDestroy(s->destroyed));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(getenv("OCR_RESTORE") == NULL);
    State *s;
    ocrGuid_t state = block_of(sizeof *s, (void **)&s), end = spawn(ends, 0, NULL, ALL, NULL);
    s->end = end;
    s->gate = event_of(OCR_EVENT_ONCE_T), s->now = event_of(OCR_EVENT_ONCE_T);
    s->once = event_of(OCR_EVENT_ONCE_T);
    link_to(s->once, expecting(end, ONCE, 11), 0, DB_MODE_RO);
    s->sticky = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(s->sticky, block_with(12)));
    s->latch = event_of(OCR_EVENT_LATCH_T);
    OK(ocrEventSatisfySlot(s->latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(s->latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    link_to(s->latch, before_end(end, LATCH, nothing, 0, NULL, 1), 0, DB_MODE_NULL);
    ocrEventParams_t counted = {.EVENT_COUNTED = {.nbDeps = 2}};
    OK(ocrEventCreateParams(&s->counted, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &counted));
    link_to(s->counted, expecting(end, COUNTED_FIRST, 14), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(s->counted, block_with(14)));
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    OK(ocrEventCreateParams(&s->full, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &channel));
    OK(ocrEventSatisfy(s->full, block_with(15)));
    OK(ocrEventCreateParams(&s->empty, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &channel));
    link_to(s->empty, expecting(end, CHANNEL_EMPTY, 16), 0, DB_MODE_RO);
    u64 one = 20;
    ocrEventParams_t sum = {.EVENT_COLLECTIVE = {.maxGen = 1, .nbContribs = 2, .nbContribsPd = 2, .nbDatum = 1,
                                                 .op = REDOP_U8_ADD, .type = COL_ALLREDUCE}};
    OK(ocrEventCreateParams(&s->collective, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &sum));
    OK(ocrEventCollectiveSatisfySlot(s->collective, &one, 0));
    OK(ocrAddDependenceSlot(s->collective, 0, expecting(end, COLLECTIVE_FIRST, 42), 0, DB_MODE_CONST));
    OK(ocrGuidRangeCreate(&s->range, LABELS, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&s->label, s->range, 0));
    OK(ocrGuidFromIndex(&s->deferred, s->range, 1));
    ocrGuid_t label = s->label;
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    OK(ocrEventSatisfy(label, block_with(17)));
    link_to(s->deferred, expecting(end, DEFERRED, 18), 0, DB_MODE_RO);
    s64 first = 2;
    OK(ocrGuidMapCreate(&s->map, 1, of_tuple, &first, MAP_SIZE, GUID_USER_EVENT_STICKY));
    u64 five = 5;
    OK(ocrMapCreate(&s->creators, MAP_SIZE, makes_event, 1, &five, 0, NULL));
    OK(ocrMapGet(&s->created, s->creators, 2));
    ocrGuid_t output;
    spawn_with(has_child, 1, (u64 *)&s->gate, 0, NULL, EDT_PROP_FINISH, &output);
    link_to(output, end, SCOPE, DB_MODE_NULL);
    u64 value = 25, many[PARAMS], *number;
    ocrGuid_t passed = block_of(sizeof *number, (void **)&number);
    *number = value;
    ocrGuid_t gets = before_end(end, BY_VALUE, expects, 1, &value, 2);
    OK(ocrAddDependenceByValue(passed, gets, 0, DB_MODE_RO));
    *number = 0;
    OK(ocrDbDestroy(passed));
    link_to(s->gate, gets, 1, DB_MODE_NULL);
    s->destroyed = block_with(77);
    value = 77;
    ocrGuid_t reads = before_end(end, DESTROYED, expects, 1, &value, 2);
    link_to(s->destroyed, reads, 0, DB_MODE_RO);
    link_to(s->now, reads, 1, DB_MODE_NULL);
    for (u64 i = 0; i < PARAMS; i++)
        many[i] = 3 * i;
    s->hinted = before_end(end, MANY_PARAMS, has_many, PARAMS, many, 1);
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 9));
    OK(ocrSetHint(s->hinted, &hint));
    link_to(s->gate, s->hinted, 0, DB_MODE_NULL);
    s->stale = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventDestroy(s->stale));
    s->after_gone = expecting(end, GONE, 41);
    s->after_output = before_end(end, OUTPUT, nothing, 0, NULL, 1);
    s->gone = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(s->gone, block_with(41)));
    ocrGuid_t done, ask = spawn_with(asks, 0, NULL, 2, NULL, EDT_PROP_NONE, &done);
    ocrGuid_t last = spawn(goes_on, 0, NULL, 2, NULL);
    link_to(done, last, 1, DB_MODE_NULL);
    ocrGuid_t ended = spawn_with(nothing, 0, NULL, 1, NULL, EDT_PROP_NONE, &s->gone_output);
    link_to(state, last, 0, DB_MODE_RW);
    link_to(state, ask, 0, DB_MODE_RW);
    OK(ocrDbRelease(state));
    link_to(NULL_GUID, ask, 1, DB_MODE_NULL);
    link_to(NULL_GUID, ended, 0, DB_MODE_NULL);
    return NULL_GUID;
}
