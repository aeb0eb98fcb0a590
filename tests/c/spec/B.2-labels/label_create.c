/*
 * Objects of every kind on labeled GUIDs: not there before they are created, created once, used under the label, gone
 * when destroyed, and created again.
 */
// clause: B.2.2.6 B.2.3
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { LABELS = 64, WIDE = 40 };

static ocrGuid_t label_of(ocrGuidUserKind kind) {
    ocrGuid_t range, guid;
    OK(ocrGuidRangeCreate(&range, LABELS, kind));
    OK(ocrGuidFromIndex(&guid, range, 33));
    return guid;
}

static void is_kind(ocrGuid_t guid, ocrGuidUserKind want) {
    ocrGuidUserKind kind = (ocrGuidUserKind)99;
    OK(ocrGetGuidKind(&kind, guid));
    CHECK_EQ(kind, want);
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT runs that has to wait");
    return NULL_GUID;
}

/* Nothing is there; `was` says whether something has been, since the first object is waited for (label_early.c). */
static void nothing_there(ocrGuid_t guid, bool was) {
    ocrGuid_t open = spawn(never, 0, NULL, 1, NULL), made = NULL_GUID;
    is_kind(guid, GUID_USER_NONE);
    if (was) {
        REFUSED(OCR_EINVAL, ocrEventSatisfy(guid, NULL_GUID));
        CHECK(ocrAddDependence(guid, open, 0, DB_MODE_RO) != 0);
        CHECK(ocrAddDependence(NULL_GUID, guid, 0, DB_MODE_NULL) != 0);
    }
    REFUSED(OCR_EINVAL, ocrEventDestroy(guid));
    REFUSED(OCR_EINVAL, ocrEdtDestroy(guid));
    REFUSED(OCR_EINVAL, ocrEdtTemplateDestroy(guid));
    REFUSED(OCR_EINVAL, ocrDbRelease(guid));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&made, guid, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtDestroy(open));
}

static void event(ocrEventTypes_t type, ocrGuidUserKind kind, u16 property) {
    ocrGuid_t label = label_of(kind);
    for (int round = 0; round < 3; round++) {
        nothing_there(label, round != 0);
        ocrGuid_t guid = label;
        OK(ocrEventCreate(&guid, type, EVT_PROP_TAKES_ARG | property));
        CHECK(ocrGuidIsEq(guid, label));
        is_kind(guid, kind);
        REFUSED(OCR_EGUIDEXISTS, ocrEventCreate(&guid, type, EVT_PROP_TAKES_ARG | property));
        CHECK(ocrGuidIsEq(guid, label));
        OK(ocrEventDestroy(guid));
    }
    ocrGuid_t other = label, block = label;
    REFUSED(OCR_EINVAL, ocrDbCreate(&block, NULL, 8, property, NULL_HINT, NO_ALLOC));
    OK(ocrEventCreate(&other, type, property));
    OK(ocrEventDestroy(label));
}

static void latch_with_counter(void) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_LATCH);
    ocrEventParams_t params;
    params.EVENT_LATCH.counter = 2;
    OK(ocrEventCreateParams(&label, OCR_EVENT_LATCH_T, GUID_PROP_CHECK, &params));
    params.EVENT_LATCH.counter = 1;
    REFUSED(OCR_EGUIDEXISTS, ocrEventCreateParams(&label, OCR_EVENT_LATCH_T, GUID_PROP_CHECK, &params));
    OK(ocrEventSatisfySlot(label, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    is_kind(label, GUID_USER_EVENT_LATCH);
    OK(ocrEventSatisfySlot(label, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    is_kind(label, GUID_USER_NONE);
}

/* ---- A block, read by an EDT, destroyed there, and created again. ---- */

static ocrGuid_t s_block; /* set once, by mainEdt, before any EDT is made that reads it */

static ocrGuid_t block_again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    nothing_there(s_block, true);
    REFUSED(OCR_EPERM, ocrDbDestroy(s_block));
    void *addr;
    ocrGuid_t guid = s_block;
    OK(ocrDbCreate(&guid, &addr, 1 << 20, DB_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    memset(addr, 7, 1 << 20);
    OK(ocrDbDestroy(guid));
    nothing_there(s_block, true);
    OK(ocrDbCreate(&guid, &addr, 8, DB_PROP_NO_ACQUIRE | GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC));
    CHECK(addr == NULL);
    OK(ocrDbDestroy(guid));
    return NULL_GUID;
}

static ocrGuid_t block_reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK(ocrGuidIsEq(depv[0].guid, s_block)); /* the label is the block's GUID everywhere */
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    CHECK(ocrGuidIsEq(depv[1].guid, s_block));
    CHECK(depv[0].ptr == depv[1].ptr);
    OK(ocrDbDestroy(s_block));
    return NULL_GUID;
}

static ocrGuid_t block(void) {
    void *addr;
    u64 value = 4711;
    s_block = label_of(GUID_USER_DB);
    nothing_there(s_block, false);
    ocrGuid_t guid = s_block, done, slots[] = {UNINITIALIZED_GUID, s_block};
    OK(ocrDbCreate(&guid, &addr, sizeof value, DB_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    CHECK(ocrGuidIsEq(guid, s_block));
    memcpy(addr, &value, sizeof value);
    is_kind(guid, GUID_USER_DB);
    void *other = &other;
    REFUSED(OCR_EGUIDEXISTS, ocrDbCreate(&guid, &other, 8, DB_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    CHECK(ocrGuidIsEq(guid, s_block) && other == &other);
    OK(ocrDbRelease(guid));
    REFUSED(OCR_EACCES, ocrDbRelease(guid));
    ocrGuid_t reader = spawn_with(block_reader, 1, &value, 2, slots, EDT_PROP_NONE, &done);
    ocrGuid_t again, again_done, hold = UNINITIALIZED_GUID;
    again = spawn_with(block_again, 0, NULL, 1, &hold, EDT_PROP_NONE, &again_done);
    link_to(done, again, 0, DB_MODE_NULL);
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    link_to(again_done, sticky, 0, DB_MODE_NULL);
    link_to(guid, reader, 0, DB_MODE_RO);
    return sticky;
}

/* ---- EDTs of all sizes. ---- */

static ocrGuid_t edt_runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    for (u64 i = 0; i < paramc; i++)
        CHECK_EQ(paramv[i], 100 + i);
    for (u32 i = 0; i < depc; i++)
        CHECK_EQ(number_in(depv[i]), i);
    return block_with(depc);
}

static ocrGuid_t edt_after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    ocrGuid_t label = {(s64)paramv[1]};
    nothing_there(label, true);
    return NULL_GUID;
}

static ocrGuid_t edt(u32 width, u16 more) {
    ocrGuid_t label = label_of(GUID_USER_EDT), tmpl = template_of(edt_runs, width, width), output, event;
    u64 params[WIDE];
    for (u64 i = 0; i < WIDE; i++)
        params[i] = 100 + i;
    nothing_there(label, false);
    ocrGuid_t guid = label, unused = {99}, other = {88};
    REFUSED(OCR_EINVAL, ocrEdtCreate(NULL, tmpl, width, params, width, NULL, GUID_PROP_CHECK, NULL_HINT, NULL));
    /* The array of dependences is not used for a labeled EDT. */
    ocrGuid_t ignored[WIDE];
    for (int i = 0; i < WIDE; i++)
        ignored[i] = NULL_GUID;
    OK(ocrEdtCreate(&guid, tmpl, width, params, width, ignored, GUID_PROP_CHECK | more, NULL_HINT, &output));
    CHECK(ocrGuidIsEq(guid, label));
    is_kind(label, GUID_USER_EDT);
    REFUSED(OCR_EGUIDEXISTS,
            ocrEdtCreate(&guid, tmpl, width, params, width, NULL, GUID_PROP_CHECK | more, NULL_HINT, &other));
    CHECK(ocrGuidIsEq(guid, label) && other.guid == 88 && unused.guid == 99);
    u64 after[] = {width, (u64)label.guid};
    ocrGuid_t last = spawn_with(edt_after, 2, after, 1, NULL, EDT_PROP_NONE, &event);
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    link_to(event, sticky, 0, DB_MODE_NULL);
    link_to(output, last, 0, DB_MODE_RO);
    for (u64 i = 0; i < width; i++)
        link_to(block_with(i), label, (u32)i, DB_MODE_CONST);
    OK(ocrEdtTemplateDestroy(tmpl));
    return sticky;
}

static void edt_destroyed(void) {
    ocrGuid_t label = label_of(GUID_USER_EDT), tmpl = template_of(never, 0, 1);
    for (int round = 0; round < 3; round++) {
        ocrGuid_t guid = label, output;
        OK(ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, GUID_PROP_CHECK, NULL_HINT, &output));
        OK(ocrEdtDestroy(guid));
        REFUSED(OCR_EINVAL, ocrEventSatisfy(output, NULL_GUID));
    }
    nothing_there(label, true);
}

/* ---- A template. ---- */

static void template_on_label(void) {
    ocrGuid_t label = label_of(GUID_USER_EDT_TEMPLATE), guid = label, edt;
    u64 params[] = {100};
    for (int round = 0; round < 3; round++) {
        nothing_there(label, round != 0);
        OK(ocrEdtTemplateCreateLabeled(&guid, edt_runs, 1, 0, GUID_PROP_CHECK, "edt_runs"));
        CHECK(ocrGuidIsEq(guid, label));
        is_kind(label, GUID_USER_EDT_TEMPLATE);
        REFUSED(OCR_EGUIDEXISTS, ocrEdtTemplateCreateLabeled(&guid, never, 0, 0, GUID_PROP_CHECK, NULL));
        OK(ocrEdtCreate(&edt, label, 1, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
        OK(ocrEdtTemplateDestroy(label));
    }
    nothing_there(label, true);
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(NULL, never, 0, 0, GUID_PROP_CHECK, NULL));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&guid, NULL, 0, 0, GUID_PROP_CHECK, NULL));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&guid, never, EDT_PARAM_DEF, 0, GUID_PROP_CHECK, NULL));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&guid, never, 0, 0, GUID_PROP_NONE, NULL));
    guid = label_of(GUID_USER_DB);
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&guid, never, 0, 0, GUID_PROP_CHECK, NULL));
}

/* What was created stays when its range goes; the other labels are no labels any more. */
static void range_destroyed(void) {
    ocrGuid_t range, guid, other;
    OK(ocrGuidRangeCreate(&range, LABELS, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&guid, range, 1));
    OK(ocrGuidFromIndex(&other, range, 2));
    OK(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    OK(ocrGuidMapDestroy(range));
    REFUSED(OCR_EINVAL, ocrEventCreate(&other, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    is_kind(guid, GUID_USER_EVENT_STICKY);
    OK(ocrEventSatisfy(guid, NULL_GUID));
    OK(ocrEventDestroy(guid));
    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const u16 properties[] = {GUID_PROP_CHECK, GUID_PROP_IS_LABELED};
    for (int i = 0; i < 2; i++) {
        event(OCR_EVENT_ONCE_T, GUID_USER_EVENT_ONCE, properties[i]);
        event(OCR_EVENT_IDEM_T, GUID_USER_EVENT_IDEM, properties[i]);
        event(OCR_EVENT_STICKY_T, GUID_USER_EVENT_STICKY, properties[i]);
        event(OCR_EVENT_LATCH_T, GUID_USER_EVENT_LATCH, properties[i]);
    }
    latch_with_counter();
    edt_destroyed();
    template_on_label();
    range_destroyed();
    static const u32 widths[] = {1, 2, 5, WIDE};
    ocrGuid_t last = end_after(9);
    for (u32 i = 0; i < 4; i++) {
        link_to(edt(widths[i], EDT_PROP_NONE), last, 2 * i, DB_MODE_NULL);
        link_to(edt(widths[i], EDT_PROP_FINISH), last, 2 * i + 1, DB_MODE_NULL);
    }
    link_to(block(), last, 8, DB_MODE_NULL);
    return NULL_GUID;
}
