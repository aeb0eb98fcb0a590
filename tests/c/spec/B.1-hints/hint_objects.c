/*
 * Hints of objects: set, read back, kept with the object and no longer, inherited from the template; wrong ones.
 */
// clause: B.1.1 B.1.2 B.1.3 B.1.4 B.1.5 B.1.6 B.1.7
// one-node: hints of another node's object are not kept
#include "check.h"
#include <extensions/ocr-labeling.h>

#define UNSET ((u64)0xdead)

static void set(ocrHint_t *hint, ocrHintType_t type, ocrHintProp_t property, u64 value) {
    OK(ocrHintInit(hint, type));
    OK(ocrSetHintValue(hint, property, value));
}

/* The value that an object has for a property, or UNSET. */
static u64 hint_of(ocrGuid_t guid, ocrHintType_t type, ocrHintProp_t property) {
    ocrHint_t hint;
    u64 value = UNSET;
    OK(ocrHintInit(&hint, type));
    OK(ocrGetHint(guid, &hint));
    u8 code = ocrGetHintValue(&hint, property, &value);
    CHECK_EQ(code, value == UNSET ? OCR_ENOENT : 0);
    return value;
}

static u64 edt_hint(ocrGuid_t guid, ocrHintProp_t property) { return hint_of(guid, OCR_HINT_EDT_T, property); }

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void variables(void) {
    ocrHint_t hint;
    u64 value = UNSET;
    memset(&hint, 0, sizeof hint);
    REFUSED(OCR_EINVAL, ocrHintInit(&hint, OCR_HINT_UNDEF_T));
    REFUSED(OCR_EINVAL, ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 1));
    REFUSED(OCR_EINVAL, ocrHintInit(NULL, OCR_HINT_EDT_T));
    REFUSED(OCR_EINVAL, ocrHintInit(&hint, (ocrHintType_t)5));
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    REFUSED(OCR_ENOENT, ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value));
    CHECK_EQ(value, UNSET);
    static const ocrHintProp_t wrong[] = {OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END, OCR_HINT_DB_NEAR,
                                          (ocrHintProp_t)99};
    for (int i = 0; i < 4; i++) {
        REFUSED(OCR_EINVAL, ocrSetHintValue(&hint, wrong[i], 1));
        REFUSED(OCR_EINVAL, ocrUnsetHintValue(&hint, wrong[i]));
        REFUSED(OCR_EINVAL, ocrGetHintValue(&hint, wrong[i], &value));
    }
    OK(ocrSetHintValue(NULL_HINT, OCR_HINT_EDT_PRIORITY, 1));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 1));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 2));
    OK(ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value));
    CHECK_EQ(value, 2);
    OK(ocrUnsetHintValue(&hint, OCR_HINT_EDT_PRIORITY));
    OK(ocrUnsetHintValue(&hint, OCR_HINT_EDT_PRIORITY));
    REFUSED(OCR_ENOENT, ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value));
    REFUSED(OCR_EINVAL, ocrUnsetHintValue(NULL_HINT, OCR_HINT_EDT_PRIORITY));
    REFUSED(OCR_EINVAL, ocrGetHintValue(NULL_HINT, OCR_HINT_EDT_PRIORITY, &value));
    REFUSED(OCR_EINVAL, ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, NULL));
}

/* Every property of a kind on one object; `first` and `end` are START and END of the kind. */
static void all_properties(ocrGuid_t guid, ocrHintType_t type, int first, int end) {
    ocrHint_t hint;
    OK(ocrHintInit(&hint, type));
    for (int property = first + 1; property < end; property++) {
        CHECK_EQ(hint_of(guid, type, (ocrHintProp_t)property), UNSET);
        OK(ocrSetHintValue(&hint, (ocrHintProp_t)property, 1000 + (u64)property));
        OK(ocrSetHint(guid, &hint));
    }
    for (int property = first + 1; property < end; property++)
        CHECK_EQ(hint_of(guid, type, (ocrHintProp_t)property), 1000 + property);
    /* One is updated; the others stay. */
    set(&hint, type, (ocrHintProp_t)(first + 2), 1);
    OK(ocrSetHint(guid, &hint));
    CHECK_EQ(hint_of(guid, type, (ocrHintProp_t)(first + 2)), 1);
    CHECK_EQ(hint_of(guid, type, (ocrHintProp_t)(first + 1)), 1001 + first);
    /* What is set in the variable alone stays there; what the object has goes over it. */
    u64 value;
    set(&hint, type, (ocrHintProp_t)(first + 2), 77);
    OK(ocrGetHint(guid, &hint));
    OK(ocrGetHintValue(&hint, (ocrHintProp_t)(first + 2), &value));
    CHECK_EQ(value, 1);
}

static void kept_apart(void) {
    ocrHint_t edt_type, db_type, event_type, group_type, undefined, urgent;
    OK(ocrHintInit(&edt_type, OCR_HINT_EDT_T));
    OK(ocrHintInit(&db_type, OCR_HINT_DB_T));
    OK(ocrHintInit(&event_type, OCR_HINT_EVT_T));
    OK(ocrHintInit(&group_type, OCR_HINT_GROUP_T));
    memset(&undefined, 0, sizeof undefined);
    set(&urgent, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 9);
    ocrGuid_t tmpl = template_of(nothing, 0, 1), other = template_of(nothing, 0, 1);
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), block = block_with(1);
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
    ocrGuid_t objects[] = {tmpl, edt, block, event, range, NULL_GUID, ERROR_GUID};
    ocrHint_t *hints[] = {&edt_type, &edt_type, &db_type, &event_type, NULL, NULL, NULL};
    ocrHint_t *types[] = {&edt_type, &db_type, &event_type, &group_type, &undefined};
    for (int object = 0; object < 7; object++) {
        for (int type = 0; type < 5; type++) {
            u8 want = types[type] == hints[object] ? 0 : OCR_EINVAL;
            CHECK_EQ(ocrSetHint(objects[object], types[type]), want);
            CHECK_EQ(ocrGetHint(objects[object], types[type]), want);
        }
        REFUSED(OCR_EINVAL, ocrSetHint(objects[object], NULL_HINT));
        REFUSED(OCR_EINVAL, ocrGetHint(objects[object], NULL_HINT));
    }
    all_properties(tmpl, OCR_HINT_EDT_T, OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END);
    all_properties(edt, OCR_HINT_EDT_T, OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END);
    all_properties(block, OCR_HINT_DB_T, OCR_HINT_DB_PROP_START, OCR_HINT_DB_PROP_END);
    CHECK_EQ(edt_hint(other, OCR_HINT_EDT_PRIORITY), UNSET);
    OK(ocrEdtDestroy(edt));
    REFUSED(OCR_EINVAL, ocrGetHint(edt, &edt_type));
    REFUSED(OCR_EINVAL, ocrSetHint(edt, &urgent));
    OK(ocrDbDestroy(block));
    REFUSED(OCR_EINVAL, ocrGetHint(block, &db_type));
    OK(ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrSetHint(event, &event_type));
    OK(ocrEdtTemplateDestroy(tmpl));
    REFUSED(OCR_EINVAL, ocrGetHint(tmpl, &edt_type));
    OK(ocrEdtTemplateDestroy(other));
}

static void inherited(void) {
    ocrHint_t hint;
    ocrGuid_t tmpl = template_of(nothing, 0, 1), edts[3];
    edts[0] = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 5);
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_SPACE, 6));
    OK(ocrSetHint(tmpl, &hint));
    edts[1] = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 8);
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_DISPERSE, OCR_HINT_EDT_DISPERSE_NEAR));
    OK(ocrEdtCreate(&edts[2], tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &hint, NULL));
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T)); /* it was copied */
    static const u64 want[3][3] = {{UNSET, UNSET, UNSET}, {5, 6, UNSET}, {8, 6, OCR_HINT_EDT_DISPERSE_NEAR}};
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(edt_hint(edts[i], OCR_HINT_EDT_PRIORITY), want[i][0]);
        CHECK_EQ(edt_hint(edts[i], OCR_HINT_EDT_SPACE), want[i][1]);
        CHECK_EQ(edt_hint(edts[i], OCR_HINT_EDT_DISPERSE), want[i][2]);
        OK(ocrEdtDestroy(edts[i]));
    }
    CHECK_EQ(edt_hint(tmpl, OCR_HINT_EDT_PRIORITY), 5);
    OK(ocrEdtTemplateDestroy(tmpl));
    /* Of a block, given at creation; a hint for another kind is left out. */
    ocrGuid_t block;
    set(&hint, OCR_HINT_DB_T, OCR_HINT_DB_HIGHBW, 3);
    OK(ocrDbCreate(&block, NULL, 8, DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC));
    CHECK_EQ(hint_of(block, OCR_HINT_DB_T, OCR_HINT_DB_HIGHBW), 3);
    CHECK_EQ(hint_of(block, OCR_HINT_DB_T, OCR_HINT_DB_NEAR), UNSET);
    OK(ocrDbDestroy(block));
    set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 3);
    OK(ocrDbCreate(&block, NULL, 8, DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC));
    OK(ocrDbDestroy(block));
}

/* Objects that come again, on one label, begin without the hints of those before. */
static void of_labels(void) {
    ocrHint_t hint;
    ocrGuid_t range, label, tmpl = template_of(nothing, 0, 1);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 0));
    for (u64 round = 1; round < 4; round++) {
        set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_TIME, round);
        OK(ocrEdtCreate(&label, tmpl, 0, NULL, 1, NULL, GUID_PROP_CHECK, round == 2 ? NULL_HINT : &hint, NULL));
        CHECK_EQ(edt_hint(label, OCR_HINT_EDT_TIME), round == 2 ? UNSET : round);
        OK(ocrEdtDestroy(label));
    }
    OK(ocrEdtTemplateDestroy(tmpl));
}

/* ---- A running EDT, and many that come and go. ---- */

static ocrGuid_t reads_own(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t self = {(s64)paramv[0]};
    CHECK_EQ(edt_hint(self, OCR_HINT_EDT_PRIORITY), 4);
    ocrHint_t hint;
    set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 11);
    OK(ocrSetHint(self, &hint)); /* too late: it runs */
    CHECK_EQ(edt_hint(self, OCR_HINT_EDT_PRIORITY), 4);
    return NULL_GUID;
}

static ocrGuid_t many(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint;
    set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 0);
    ocrGuid_t tmpl = template_of(nothing, 0, 0), edt;
    for (u64 i = 0; i < scaled(1001); i++)
        OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, &hint, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t rounds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    static u64 at_start;
    u64 round = paramv[0] + 1;
    if (round == 20)
        at_start = resident_kib();
    if (round == 120) {
        /* A sanitizer or memcheck needs memory of its own. */
        CHECK(grown_less(at_start, 4096));
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t done, hold = UNINITIALIZED_GUID, all = spawn_with(many, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(rounds, 1, &round, 1, &done);
    link_to(NULL_GUID, all, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    variables();
    kept_apart();
    inherited();
    of_labels();
    ocrHint_t hint;
    u64 zero = 0;
    ocrGuid_t range, self, done, next, tmpl = template_of(reads_own, 1, 1);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&self, range, 0)); /* so its own GUID can be passed to the EDT */
    set(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PRIORITY, 4);
    u64 param = (u64)self.guid;
    OK(ocrEdtCreate(&self, tmpl, 1, &param, 1, NULL, GUID_PROP_CHECK, &hint, &done));
    next = spawn(rounds, 1, &zero, 1, NULL);
    link_to(done, next, 0, DB_MODE_NULL);
    link_to(NULL_GUID, self, 0, DB_MODE_NULL);
    return NULL_GUID;
}
