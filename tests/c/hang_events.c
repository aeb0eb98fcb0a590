/*
 * A program that never ends, with EDTs that wait for events of the kinds of the extensions: the
 * message says for which.
 */
// status: nonzero
// stderr: (on_counted) waits on
// stderr: pre-slot 0: the counted event
// stderr: (on_channel) waits on
// stderr: pre-slot 0: the channel event
// stderr: (on_channel_second) waits on
// stderr: pre-slot 0: the channel event
// stderr: (on_collective) waits on
// stderr: which lacks contributions to generation 1 from slot 1 (ocrEventCollectiveSatisfySlot)
// needs: halt
#include "check.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

static void waits(const char *name, ocrGuid_t event) {
    ocrGuid_t tmpl, edt;
    OK(ocrEdtTemplateCreate_internal(&tmpl, never, 0, 1, name));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t counted = {.EVENT_COUNTED = {.nbDeps = 2}};
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 5, .nbSat = 1, .nbDeps = 1}};
    ocrEventParams_t collective = {.EVENT_COLLECTIVE = {.maxGen = 2,
                                                        .nbContribs = 2,
                                                        .nbContribsPd = 2,
                                                        .nbDatum = 1,
                                                        .op = REDOP_U8_ADD,
                                                        .type = COL_ALLREDUCE}};
    ocrGuid_t event;
    u64 number = 1;
    OK(ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &counted));
    waits("on_counted", event);
    OK(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &channel));
    waits("on_channel", event);
    link_to(event, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    waits("on_channel_second", event);
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &collective));
    link_to(event, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    waits("on_collective", event);
    OK(ocrEventCollectiveSatisfySlot(event, &number, 0));
    OK(ocrEventCollectiveSatisfySlot(event, &number, 1));
    OK(ocrEventCollectiveSatisfySlot(event, &number, 0));
    return NULL_GUID;
}
