/*
 * Creators that race for the same labels: one makes the object, and all can use it when their call returns. Then labels
 * whose events go as soon as they are satisfied, and are made again.
 */
// clause: B.2.3
// unordered-at-times: creators satisfy the once event of one label, and one call may be refused
// once: an EDT frees memory of malloc
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-runtime-itf.h>

/* An EDT with this number of parameters is not made in a moment: others come while it is being made. */
enum { CREATORS = 8, PARAMS = 1000 };

static u64 s_labels;
static ocrGuid_t s_events, s_blocks, s_edts, s_templates, s_once, s_sink, s_edt_template;
static u8 *s_made[4];  /* by label: how many calls of each kind created it */
static u8 *s_arrived;  /* by label: how many creators have come to it */
static u64 s_created, s_satisfied, s_ran;

static ocrGuid_t at(ocrGuid_t range, u64 i) {
    ocrGuid_t guid;
    OK(ocrGuidFromIndex(&guid, range, i));
    return guid;
}

static void count(int kind, u64 i, u8 code) {
    CHECK(code == 0 || code == OCR_EGUIDEXISTS);
    if (code == 0)
        __atomic_fetch_add(&s_made[kind][i], 1, __ATOMIC_RELAXED);
}

/* Creators that run at the same time begin with a label at the same time, if they are not too far apart. */
static void together(u64 i) {
    u64 enough = ocrNbWorkers() < CREATORS ? ocrNbWorkers() : CREATORS;
    __atomic_fetch_add(&s_arrived[i], 1, __ATOMIC_SEQ_CST);
    for (int spins = 0; spins < 3000 && __atomic_load_n(&s_arrived[i], __ATOMIC_SEQ_CST) < enough; spins++)
        ;
}

static ocrGuid_t runs_once(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    __atomic_fetch_add(&s_ran, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static ocrGuid_t creator(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 me = paramv[0], params[PARAMS] = {0};
    for (u64 i = 0; i < s_labels; i++) {
        together(i);
        ocrGuid_t event = at(s_events, i), block = at(s_blocks, i), edt = at(s_edts, i), tmpl = at(s_templates, i);
        /* Each creator satisfies its own slot of the one EDT. */
        count(2, i,
              ocrEdtCreate(&edt, s_edt_template, PARAMS, params, CREATORS, NULL, EDT_PROP_NONE | GUID_PROP_CHECK,
                           NULL_HINT, NULL));
        link_to(NULL_GUID, edt, (u32)me, DB_MODE_NULL);

        count(0, i, ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK));
        link_to(event, s_sink, (u32)(i * CREATORS + me), DB_MODE_RO);

        void *addr;
        u8 code = ocrDbCreate(&block, &addr, 64, DB_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC);
        count(1, i, code);
        ocrGuidUserKind kind;
        OK(ocrGetGuidKind(&kind, block));
        CHECK_EQ(kind, GUID_USER_DB);
        if (code == 0) {
            memset(addr, (int)i, 64);
            OK(ocrDbRelease(block));
        }

        count(3, i, ocrEdtTemplateCreateLabeled(&tmpl, runs_once, 0, 0, GUID_PROP_CHECK, "runs_once"));
        ocrGuid_t from_template;
        OK(ocrEdtCreate(&from_template, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));

        /* A once event goes when it is satisfied; then the label is free for the next. */
        ocrGuid_t once = at(s_once, i % 3);
        code = ocrEventCreate(&once, OCR_EVENT_ONCE_T, GUID_PROP_CHECK);
        CHECK(code == 0 || code == OCR_EGUIDEXISTS);
        if (code == 0)
            __atomic_fetch_add(&s_created, 1, __ATOMIC_RELAXED);
        code = ocrEventSatisfy(once, NULL_GUID);
        CHECK(code == 0 || code == OCR_EINVAL);
        if (code == 0)
            __atomic_fetch_add(&s_satisfied, 1, __ATOMIC_RELAXED);
    }
    return NULL_GUID;
}

static ocrGuid_t all_created(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < s_labels; i++)
        for (int kind = 0; kind < 4; kind++)
            CHECK_EQ(s_made[kind][i], 1);
    CHECK_EQ(s_ran, s_labels * (CREATORS + 1));
    u64 there = 0;
    for (u64 i = 0; i < 3; i++) {
        ocrGuidUserKind kind;
        OK(ocrGetGuidKind(&kind, at(s_once, i)));
        there += kind == GUID_USER_EVENT_ONCE;
    }
    CHECK_EQ(s_created, s_satisfied + there);
    for (u64 i = 0; i < s_labels; i++)
        OK(ocrEventSatisfy(at(s_events, i), at(s_blocks, i)));
    return NULL_GUID;
}

static ocrGuid_t sink(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++) {
        CHECK(ocrGuidIsEq(depv[i].guid, at(s_blocks, i / CREATORS)));
        CHECK_EQ(((u8 *)depv[i].ptr)[63], (i / CREATORS) & 0xff);
    }
    for (int kind = 0; kind < 4; kind++)
        free(s_made[kind]);
    free(s_arrived);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t creators(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < CREATORS; i++)
        spawn(creator, 1, &i, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_labels = scaled(2000);
    for (int kind = 0; kind < 4; kind++)
        s_made[kind] = calloc(s_labels, 1);
    s_arrived = calloc(s_labels, 1);
    OK(ocrGuidRangeCreate(&s_events, s_labels, GUID_USER_EVENT_STICKY));
    OK(ocrGuidRangeCreate(&s_blocks, s_labels, GUID_USER_DB));
    OK(ocrGuidRangeCreate(&s_edts, s_labels, GUID_USER_EDT));
    OK(ocrGuidRangeCreate(&s_templates, s_labels, GUID_USER_EDT_TEMPLATE));
    OK(ocrGuidRangeCreate(&s_once, 3, GUID_USER_EVENT_ONCE));
    s_edt_template = template_of(runs_once, PARAMS, CREATORS);
    s_sink = spawn(sink, 0, NULL, (u32)(s_labels * CREATORS), NULL);
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t all = spawn_with(creators, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(all_created, 0, NULL, 1, &done);
    link_to(NULL_GUID, all, 0, DB_MODE_NULL);
    return NULL_GUID;
}
