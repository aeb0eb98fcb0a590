/*
 * A ready EDT runs at some time (OCR 1.1.0, 1.4.2), also where others go on making new ones ready: EDTs that create
 * themselves anew until an older one has run, without a priority and with one.
 */
// clause: 1.4.2
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-runtime-itf.h>

static int old_have_run;
static ocrGuid_t poll_template, old_template;

static ocrHint_t *priority(ocrHint_t *hint, u64 value) {
    OK(ocrHintInit(hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(hint, OCR_HINT_EDT_PRIORITY, value));
    return hint;
}

static ocrGuid_t old(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    __atomic_add_fetch(&old_have_run, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

/* Runs again, and once more with a priority, until all the old ones have run. */
static ocrGuid_t polls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const int all = 2 * (int)paramv[0];
    ocrHint_t hint;
    if (__atomic_load_n(&old_have_run, __ATOMIC_RELAXED) < all)
        OK(ocrEdtCreate(NULL, poll_template, 2, paramv, 0, NULL, EDT_PROP_NONE,
                        paramv[1] ? priority(&hint, 9) : NULL_HINT, NULL));
    return NULL_GUID;
}

/* On each worker a chain of those that poll may keep it busy: there are more of them than workers. */
static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrHint_t hint;
    for (u64 n = 0; n < paramv[0]; n++) {
        OK(ocrEdtCreate(NULL, old_template, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
        OK(ocrEdtCreate(NULL, old_template, 0, NULL, 0, NULL, EDT_PROP_NONE, priority(&hint, 1), NULL));
    }
    for (u64 n = 0; n < 2 * paramv[0]; n++) {
        u64 params[] = {paramv[0], n % 2};
        OK(ocrEdtCreate(NULL, poll_template, 2, params, 0, NULL, EDT_PROP_NONE, n % 2 ? priority(&hint, 9) : NULL_HINT,
                        NULL));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 workers = ocrNbWorkers();
    ocrGuid_t root, done, tmpl, end = end_after(1);
    OK(ocrEdtTemplateCreate(&old_template, old, 0, 0));
    OK(ocrEdtTemplateCreate(&poll_template, polls, 2, 0));
    OK(ocrEdtTemplateCreate(&tmpl, begins, 1, 1));
    OK(ocrEdtCreate(&root, tmpl, 1, &workers, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &done));
    OK(ocrAddDependence(done, end, 0, DB_MODE_NULL));
    OK(ocrAddDependence(NULL_GUID, root, 0, DB_MODE_NULL));
    return NULL_GUID;
}
