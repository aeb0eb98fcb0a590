/*
 * The next EDT on the label of one whose function has begun, which GUID_PROP_IS_LABELED alone creates: chains of EDTs,
 * each of which creates the next on its own label and then uses what is its own; and one that ends while the next
 * but one runs. To all other calls the label names the EDT that runs, until it ends.
 */
// clause: B.2.3
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>

enum { CHAINS = 5, WIDE = 33 };

static ocrGuid_t s_range, s_link, s_last; /* set once, by mainEdt, before any EDT of a chain is made */

static ocrGuid_t label_at(u64 index) {
    ocrGuid_t guid;
    OK(ocrGuidFromIndex(&guid, s_range, index));
    return guid;
}

static void is_edt(ocrGuid_t guid, ocrGuidUserKind want) {
    ocrGuidUserKind kind = (ocrGuidUserKind)99;
    OK(ocrGetGuidKind(&kind, guid));
    CHECK_EQ(kind, want);
}

/* Creates an EDT of a chain; its slot 0 stays open. */
static void create(u64 chain, u64 left, ocrGuid_t *output) {
    u64 params[WIDE] = {chain, left};
    ocrGuid_t label = label_at(chain), guid = label;
    ocrHint_t hint;
    for (u64 n = 2; n < WIDE; n++)
        params[n] = 1000 * chain + 10 * left + n;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, left % 2));
    OK(ocrEdtCreate(&guid, s_link, WIDE, params, 2, NULL, GUID_PROP_IS_LABELED, &hint, output));
    CHECK(ocrGuidIsEq(guid, label));
    link_to(block_with(params[2]), label, 1, DB_MODE_EW);
}

static ocrGuid_t link_runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    u64 chain = paramv[0], left = paramv[1];
    ocrGuid_t label = label_at(chain), other = label, output;
    is_edt(label, GUID_USER_EDT);
    REFUSED(OCR_EGUIDEXISTS, ocrEdtCreate(&other, s_link, WIDE, paramv, 2, NULL, GUID_PROP_CHECK, NULL_HINT, NULL));
    CHECK(ocrAddDependence(NULL_GUID, label, 0, DB_MODE_NULL) != 0);
    if (left != 0) {
        create(chain, left - 1, &output);
        REFUSED(OCR_EGUIDEXISTS,
                ocrEdtCreate(&other, s_link, WIDE, paramv, 2, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
        /* From here on it may run, and end. */
        link_to(NULL_GUID, label, 0, DB_MODE_NULL);
    }
    CHECK_EQ(paramc, WIDE);
    for (u64 n = 2; n < WIDE; n++)
        CHECK_EQ(paramv[n], 1000 * chain + 10 * left + n);
    CHECK_EQ(depc, 2);
    CHECK_EQ(number_in(depv[1]), paramv[2]);
    *(u64 *)depv[1].ptr = 0;
    OK(ocrDbDestroy(depv[1].guid));
    if (left == 0)
        link_to(NULL_GUID, s_last, (u32)chain, DB_MODE_NULL);
    return NULL_GUID;
}

/* ---- One that ends when the next but one runs, which ends later. ---- */

static ocrGuid_t s_runs, s_ended; /* set once, by all, before the first of them is made */

static void wait_for(ocrGuid_t event) {
    /* Other EDTs run meanwhile, also on this thread. */
    OK(ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE));
}

/* paramv[0]: how many came before it on the label. */
static ocrGuid_t long_runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t label = label_at(CHAINS), guid = label;
    (void)paramc, (void)depc;
    if (paramv[0] == 2) {
        OK(ocrEventSatisfy(s_runs, NULL_GUID));
        wait_for(s_ended);
        is_edt(label, GUID_USER_EDT);
        REFUSED(OCR_EGUIDEXISTS, ocrEdtCreate(&guid, s_link, WIDE, (u64[WIDE]){0}, 2, NULL, GUID_PROP_CHECK,
                                              NULL_HINT, NULL));
        return NULL_GUID;
    }
    u64 next = paramv[0] + 1;
    ocrGuid_t tmpl = template_of(long_runs, 1, 1);
    OK(ocrEdtCreate(&guid, tmpl, 1, &next, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    link_to(depv[0].guid, label, 0, DB_MODE_CONST);
    if (paramv[0] == 0) {
        wait_for(s_runs);
        CHECK_EQ(paramv[0], 0);
    }
    return NULL_GUID;
}

/* ---- Each ends while another EDT creates the next. ---- */

static ocrGuid_t hops(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t hops_again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    ocrGuid_t guid = label_at(CHAINS + 1), tmpl = template_of(hops, 1, 0);
    OK(ocrEdtCreate(&guid, tmpl, paramc, paramv, 0, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t hops(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 left = paramv[0] - 1;
    if (left != 0)
        spawn(hops_again, 1, &left, 0, NULL);
    return NULL_GUID;
}

/* All EDTs on the labels have ended: they are free, and waited for no more. */
static ocrGuid_t labels_are_free(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 n = 0; n <= CHAINS + 1; n++) {
        ocrGuid_t label = label_at(n), tmpl = template_of(end_edt, 0, 1);
        is_edt(label, GUID_USER_NONE);
        OK(ocrEdtCreate(&label, tmpl, 0, NULL, 1, NULL, GUID_PROP_BLOCK, NULL_HINT, NULL));
        is_edt(label, GUID_USER_EDT);
        OK(ocrEdtDestroy(label));
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid = label_at(CHAINS), tmpl = template_of(long_runs, 1, 1), ended;
    for (u64 chain = 0; chain < CHAINS; chain++) {
        create(chain, scaled(200), NULL);
        link_to(NULL_GUID, label_at(chain), 0, DB_MODE_NULL);
    }
    u64 many = scaled(50000);
    hops_again(1, &many, 0, NULL);
    s_runs = event_of(OCR_EVENT_STICKY_T);
    s_ended = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtCreate(&guid, tmpl, 1, (u64[]){0}, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, &ended));
    OK(ocrEdtTemplateDestroy(tmpl));
    link_to(ended, s_ended, 0, DB_MODE_NULL);
    link_to(block_with(1), guid, 0, DB_MODE_CONST);
    return NULL_GUID;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrGuidRangeCreate(&s_range, CHAINS + 2, GUID_USER_EDT));
    s_link = template_of(link_runs, WIDE, 2);
    s_last = spawn(nothing, 0, NULL, CHAINS, NULL);
    ocrGuid_t done, open = UNINITIALIZED_GUID;
    ocrGuid_t first = spawn_with(all, 0, NULL, 1, &open, EDT_PROP_FINISH, &done);
    link_to(done, spawn(labels_are_free, 0, NULL, 1, NULL), 0, DB_MODE_NULL);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
