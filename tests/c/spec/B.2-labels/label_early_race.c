/*
 * Objects are created on labels while others use these: what one EDT does with a label takes effect in its order, and
 * once, whether the object was there, was being created, or came later.
 */
// clause: B.2.3
// unordered: labels are used while their objects are created, on purpose, and other runtimes do not wait for that
// once: an EDT frees memory of malloc
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-runtime-itf.h>

/* Many calls that wait take a while when the object comes, during which others are made. */
enum { ROLES = 3, SINKS = 8 };
static u64 s_labels;
static ocrGuid_t s_once, s_latches, s_channels, s_edts, s_blocks, s_targets, s_late, s_kept, s_counted_in, s_passed;
static ocrGuid_t s_gets_tmpl, s_after_tmpl, s_nothing_tmpl;
static u8 *s_arrived; /* by label: how many roles have come to it */
static u64 s_got;

static ocrGuid_t at(ocrGuid_t range, u64 i) {
    ocrGuid_t guid;
    OK(ocrGuidFromIndex(&guid, range, i));
    return guid;
}

/* Roles that run at the same time begin with a label at the same time, if they are not too far apart. */
static void together(u64 i) {
    u64 enough = ocrNbWorkers() < ROLES ? ocrNbWorkers() : ROLES;
    __atomic_fetch_add(&s_arrived[i], 1, __ATOMIC_SEQ_CST);
    for (int spins = 0; spins < 3000 && __atomic_load_n(&s_arrived[i], __ATOMIC_SEQ_CST) < enough; spins++)
        ;
}

/* Slot j has a block with the number paramv[0] + j. */
static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 j = 0; j < depc; j++)
        CHECK_EQ(number_in(depv[j]), paramv[0] + j);
    __atomic_fetch_add(&s_got, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static ocrGuid_t sink(u64 first, u32 depc) {
    return edt_of(s_gets_tmpl, 1, &first, depc, NULL, EDT_PROP_NONE, NULL);
}

/* Creates an event that another role creates, too, and may have satisfied or destroyed since. */
static ocrGuid_t create_too(ocrGuid_t range, u64 i, ocrEventTypes_t type) {
    ocrGuid_t event = at(range, i);
    u8 code = ocrEventCreate(&event, type, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
    CHECK(code == 0 || code == OCR_EGUIDEXISTS);
    return event;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    __atomic_fetch_add(&s_got, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 3, .nbSat = 1, .nbDeps = 1}};
    for (u64 i = 0; i < s_labels; i++) {
        together(i);
        ocrGuid_t once = at(s_once, i), latch = at(s_latches, i), queue = at(s_channels, i), edt = at(s_edts, i);
        ocrGuid_t block = at(s_blocks, i), target = at(s_targets, i);
        OK(ocrEventCreate(&once, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
        OK(ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
        OK(ocrEventCreateParams(&queue, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED, &channel));
        u64 param = i;
        OK(ocrEdtCreate(&edt, s_gets_tmpl, 1, &param, 1, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));
        void *addr;
        OK(ocrDbCreate(&block, &addr, sizeof i, DB_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
        memcpy(addr, &i, sizeof i);
        OK(ocrDbRelease(block));
        OK(ocrEventCreate(&target, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
        create_too(s_kept, i, OCR_EVENT_STICKY_T);
        create_too(s_counted_in, i, OCR_EVENT_LATCH_T);
        create_too(s_passed, i, OCR_EVENT_ONCE_T);
    }
    return NULL_GUID;
}

/* Each of the events goes when it is satisfied, so a dependence behind that is lost. */
static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < s_labels; i++) {
        together(i);
        ocrGuid_t once = at(s_once, i), latch = at(s_latches, i), queue = at(s_channels, i);
        ocrGuid_t block = block_with(i), sinks[SINKS];
        for (int j = 0; j < SINKS; j++)
            sinks[j] = sink(i, 1);
        for (int j = 0; j < SINKS; j++)
            link_to(once, sinks[j], 0, DB_MODE_CONST);
        OK(ocrEventSatisfy(once, block));

        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
        link_to(latch, sink(i, 1), 0, DB_MODE_CONST);
        OK(ocrEventSatisfySlot(latch, block_with(i), OCR_EVENT_LATCH_DECR_SLOT));

        ocrGuid_t pair = sink(i, 2);
        link_to(queue, pair, 0, DB_MODE_CONST);
        OK(ocrEventSatisfy(queue, block_with(i)));
        OK(ocrEventSatisfy(queue, block_with(i + 1)));
        link_to(queue, pair, 1, DB_MODE_CONST);
        link_to(queue, at(s_late, i), 0, DB_MODE_CONST);
        OK(ocrEventSatisfy(queue, block_with(i + 2)));

        /* Destroyed as soon as it is there, but not before it has done what it was asked for. */
        ocrGuid_t kept = at(s_kept, i);
        link_to(kept, sink(i, 1), 0, DB_MODE_CONST);
        OK(ocrEventSatisfy(kept, block_with(i)));
        create_too(s_kept, i, OCR_EVENT_STICKY_T);
        OK(ocrEventDestroy(kept));

        /* A finish EDT is counted into the latch behind the increment. */
        ocrGuid_t counted = at(s_counted_in, i), edt;
        OK(ocrEventSatisfySlot(counted, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        link_to(counted, edt_of(s_after_tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL);
        create_too(s_counted_in, i, OCR_EVENT_LATCH_T);
        OK(ocrEdtCreate(&edt, s_nothing_tmpl, 0, NULL, 0, NULL, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, NULL_HINT,
                        &counted));

        /* A content that is passed while the event opens. */
        ocrGuid_t passed = at(s_passed, i);
        void *addr;
        link_to(passed, sink(i, 1), 0, DB_MODE_CONST);
        create_too(s_passed, i, OCR_EVENT_ONCE_T);
        block = block_of(sizeof i, &addr);
        memcpy(addr, &i, sizeof i);
        OK(ocrAddDependenceByValue(block, passed, 0, DB_MODE_RO));
        OK(ocrDbDestroy(block));
    }
    return NULL_GUID;
}

/* Here the destination may not be there, and the source goes. */
static ocrGuid_t links(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < s_labels; i++) {
        together(i);
        ocrGuid_t event = event_of(OCR_EVENT_ONCE_T), target = at(s_targets, i), block = at(s_blocks, i);
        u64 param;
        link_to(event, at(s_edts, i), 0, DB_MODE_CONST);
        OK(ocrEventSatisfy(event, block_with(i)));

        /* CONST waits until the creator has released the block. */
        link_to(block, sink(i, 1), 0, DB_MODE_CONST);

        ocrGuid_t late = at(s_late, i);
        param = i + 2;
        OK(ocrEdtCreate(&late, s_gets_tmpl, 1, &param, 1, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));

        event = event_of(OCR_EVENT_ONCE_T);
        link_to(target, sink(i, 1), 0, DB_MODE_CONST);
        link_to(event, target, 0, DB_MODE_CONST);
        OK(ocrEventSatisfy(event, block_with(i)));
    }
    return NULL_GUID;
}

static ocrGuid_t all_got(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(s_got, (9 + SINKS) * s_labels);
    free(s_arrived);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t run(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(creates, 0, NULL, 0, NULL);
    spawn(uses, 0, NULL, 0, NULL);
    spawn(links, 0, NULL, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_labels = scaled(40000);
    s_arrived = calloc(s_labels, 1);
    CHECK(s_arrived != NULL);
    s_gets_tmpl = template_of(gets, 1, EDT_PARAM_UNK);
    OK(ocrGuidRangeCreate(&s_once, s_labels, GUID_USER_EVENT_ONCE));
    OK(ocrGuidRangeCreate(&s_latches, s_labels, GUID_USER_EVENT_LATCH));
    OK(ocrGuidRangeCreate(&s_channels, s_labels, GUID_USER_EVENT_CHANNEL));
    OK(ocrGuidRangeCreate(&s_edts, s_labels, GUID_USER_EDT));
    OK(ocrGuidRangeCreate(&s_blocks, s_labels, GUID_USER_DB));
    s_after_tmpl = template_of(after, 0, 1);
    s_nothing_tmpl = template_of(nothing, 0, 0);
    OK(ocrGuidRangeCreate(&s_targets, s_labels, GUID_USER_EVENT_STICKY));
    OK(ocrGuidRangeCreate(&s_late, s_labels, GUID_USER_EDT));
    OK(ocrGuidRangeCreate(&s_kept, s_labels, GUID_USER_EVENT_STICKY));
    OK(ocrGuidRangeCreate(&s_counted_in, s_labels, GUID_USER_EVENT_LATCH));
    OK(ocrGuidRangeCreate(&s_passed, s_labels, GUID_USER_EVENT_ONCE));
    ocrGuid_t done, start = spawn_with(run, 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
    spawn(all_got, 0, NULL, 1, &done);
    link_to(NULL_GUID, start, 0, DB_MODE_NULL);
    return NULL_GUID;
}
