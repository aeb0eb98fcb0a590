/*
 * EDTs with a priority are among those that ocrQuery finds ready, and run when the pause is over, in the order of
 * their priorities still.
 */
// clause: ocr-pause.h
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-pause.h>
#include <extensions/ocr-runtime-itf.h>
#include <stdatomic.h>

enum { MANY = 20 };

static atomic_int ran;

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    int before = atomic_fetch_add(&ran, 1);
    if (ocrNbWorkers() == 1)
        CHECK_EQ(paramv[0], MANY - 1 - before);
    return NULL_GUID;
}

static bool among(ocrGuid_t guid, const ocrGuid_t *all, u32 bytes) {
    for (u32 n = 0; n < bytes / sizeof guid; n++)
        if (ocrGuidIsEq(guid, all[n]))
            return true;
    return false;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edts[MANY], outputs[MANY], none = NULL_GUID, tmpl = template_of(counts, 1, 1), end = end_after(MANY);
    void *list;
    u32 size, again, flag = ocrPause(true);
    CHECK_EQ(flag, 1);
    for (u64 n = 0; n < MANY; n++) {
        ocrHint_t hint;
        OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, n)); /* 0 is like none */
        OK(ocrEdtCreate(&edts[n], tmpl, 1, &n, 1, NULL, EDT_PROP_NONE, &hint, &outputs[n]));
        link_to(outputs[n], end, (u32)n, DB_MODE_NULL);
        link_to(none, edts[n], 0, DB_MODE_NULL);
    }
    ocrGuid_t answer = ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &size, 0);
    for (int n = 0; n < MANY; n++)
        CHECK(among(edts[n], list, size));
    OK(ocrDbDestroy(answer));
    /* the same again: looking changes nothing */
    OK(ocrDbDestroy(ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &again, 0)));
    CHECK_EQ(again, size);
    CHECK_EQ(atomic_load(&ran), 0);
    ocrResume(flag);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
