/*
 * Counted, channel and collective events on labeled GUIDs. Every contributor to a collective event creates it, and all
 * of them get 0: with GUID_PROP_IS_LABELED the later ones join it.
 */
// clause: B.2.3 ocr-reduction-event.h
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { RANKS = 12 };

static ocrGuid_t s_label;

static ocrGuid_t label_of(ocrGuidUserKind kind) {
    ocrGuid_t range, guid;
    OK(ocrGuidRangeCreate(&range, 3, kind));
    OK(ocrGuidFromIndex(&guid, range, 1));
    return guid;
}

static void is_kind(ocrGuid_t guid, ocrGuidUserKind want) {
    ocrGuidUserKind kind = (ocrGuidUserKind)99;
    OK(ocrGetGuidKind(&kind, guid));
    CHECK_EQ(kind, want);
}

static ocrEventParams_t collective_params(void) {
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 2,
                                                    .nbContribs = RANKS,
                                                    .nbContribsPd = RANKS,
                                                    .nbDatum = 1,
                                                    .arity = 2,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE,
                                                    .reuseDbPerGen = false}};
    return params;
}

static ocrGuid_t gets_sum(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), RANKS * (RANKS + 1) / 2);
    return NULL_GUID;
}

static ocrGuid_t contributes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEventParams_t params = collective_params();
    ocrGuid_t event = s_label;
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE | GUID_PROP_IS_LABELED, &params));
    CHECK(ocrGuidIsEq(event, s_label));
    ocrGuid_t getter = spawn(gets_sum, 0, NULL, 1, NULL);
    OK(ocrAddDependenceSlot(event, (u32)paramv[0], getter, 0, DB_MODE_RO));
    u64 number = paramv[0] + 1;
    OK(ocrEventCollectiveSatisfySlot(event, &number, (u32)paramv[0]));
    return NULL_GUID;
}

static ocrGuid_t contributors(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 rank = 0; rank < RANKS; rank++)
        spawn(contributes, 1, &rank, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = collective_params();
    ocrGuid_t event = s_label;
    is_kind(event, GUID_USER_EVENT_COLLECTIVE);
    REFUSED(OCR_EGUIDEXISTS, ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, GUID_PROP_CHECK, &params));
    params.EVENT_COLLECTIVE.maxGen = 3; /* not the one that is there */
    REFUSED(OCR_EINVAL, ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, GUID_PROP_IS_LABELED, &params));
    OK(ocrEventDestroy(event));
    is_kind(event, GUID_USER_NONE);
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, GUID_PROP_IS_LABELED, &params));
    OK(ocrEventDestroy(event));
    ocrShutdown();
    return NULL_GUID;
}

static void counted(void) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_COUNTED);
    ocrEventParams_t params;
    memset(&params, 0, sizeof params);
    REFUSED(OCR_EINVAL, ocrEventCreateParams(&label, OCR_EVENT_COUNTED_T, GUID_PROP_CHECK, &params));
    params.EVENT_COUNTED.nbDeps = 2;
    for (int round = 0; round < 3; round++) {
        OK(ocrEventCreateParams(&label, OCR_EVENT_COUNTED_T, GUID_PROP_CHECK, &params));
        REFUSED(OCR_EGUIDEXISTS, ocrEventCreateParams(&label, OCR_EVENT_COUNTED_T, GUID_PROP_CHECK, &params));
        ocrGuid_t sinks[] = {event_of(OCR_EVENT_STICKY_T), event_of(OCR_EVENT_STICKY_T)};
        link_to(label, sinks[0], 0, DB_MODE_NULL);
        OK(ocrEventSatisfy(label, NULL_GUID));
        is_kind(label, GUID_USER_EVENT_COUNTED);
        link_to(label, sinks[1], 0, DB_MODE_NULL);
        is_kind(label, GUID_USER_NONE); /* it has served both, and its label is free */
        REFUSED(OCR_EPERM, ocrEventSatisfy(sinks[1], NULL_GUID));
    }
}

static void channel(void) {
    ocrGuid_t label = label_of(GUID_USER_EVENT_CHANNEL);
    ocrEventParams_t params;
    memset(&params, 0, sizeof params);
    params.EVENT_CHANNEL.maxGen = 4;
    params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
    for (int round = 0; round < 3; round++) {
        OK(ocrEventCreateParams(&label, OCR_EVENT_CHANNEL_T, GUID_PROP_CHECK, &params));
        REFUSED(OCR_EGUIDEXISTS, ocrEventCreateParams(&label, OCR_EVENT_CHANNEL_T, GUID_PROP_CHECK, &params));
        is_kind(label, GUID_USER_EVENT_CHANNEL);
        ocrGuid_t sink = event_of(OCR_EVENT_STICKY_T);
        OK(ocrEventSatisfy(label, NULL_GUID));
        OK(ocrEventSatisfy(label, NULL_GUID));
        link_to(label, sink, 0, DB_MODE_NULL);
        REFUSED(OCR_EPERM, ocrEventSatisfy(sink, NULL_GUID));
        OK(ocrEventDestroy(label)); /* with a satisfaction that no dependence has met */
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    counted();
    channel();
    s_label = label_of(GUID_USER_EVENT_COLLECTIVE);
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t all = spawn_with(contributors, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(last, 0, NULL, 1, &done);
    link_to(NULL_GUID, all, 0, DB_MODE_NULL);
    return NULL_GUID;
}
