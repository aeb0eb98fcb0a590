/*
 * An event is created on a label that many calls have waited for. An EDT behind the first of them destroys it, and
 * creates the next, while who created it still makes the others.
 */
// clause: B.2.3
// workers: 2 8
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { FOLLOWERS = 300000 };

static ocrGuid_t label;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t replaces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t again = label;
    OK(ocrEventDestroy(label));
    OK(ocrEventCreate(&again, OCR_EVENT_IDEM_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
    CHECK(ocrGuidIsEq(again, label));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = label;
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, edt, open[2] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 1));
    edt = spawn(replaces, 0, NULL, 1, open);
    link_to(label, edt, 0, DB_MODE_NULL);
    OK(ocrEventSatisfy(label, NULL_GUID));
    const ocrGuid_t never = template_of(nothing, 0, 2);
    for (u64 i = 0; i < scaled(FOLLOWERS); i++) {
        edt = edt_of(never, 0, NULL, 2, open, EDT_PROP_NONE, NULL);
        link_to(label, edt, 0, DB_MODE_NULL);
    }
    spawn(creates, 0, NULL, 0, NULL);
    return NULL_GUID;
}
