/*
 * The graph of a program that hangs has the numbers of what waits: the pre-slots that EDTs miss, and what latch,
 * counted, channel and collective events have counted.
 */
// clause: hang
// status: 1
// stderr: [shape=box, label="never\n0x
// stderr: \n2 of 3 pre-slots missing"]
// stderr: [shape=ellipse, label="latch\n0x
// stderr: labelled \"counts\"\ncounter -2"]
// stderr: [shape=ellipse, label="counted\n0x
// stderr: \ndependences to come: 1"]
// stderr: [shape=ellipse, label="channel\n0x
// stderr: \ndependences that wait: 2 of 5"]
// stderr: \ndependences that wait: 1"]
// stderr: [shape=ellipse, label="collective\n0x
// stderr: \ngeneration 1: 2 of 3 contributions missing"]
// stderr: [shape=ellipse, label="sticky\n0x
// env: OCR_HALT_DOT=/dev/stderr
// needs: halt
#include "check.h"

#include <extensions/ocr-debug.h>

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependences");
    return NULL_GUID;
}

static ocrGuid_t waits_for(ocrGuid_t event) {
    ocrGuid_t tmpl, edt, slots[] = {event, NULL_GUID, UNINITIALIZED_GUID};
    OK(ocrEdtTemplateCreate_internal(&tmpl, never, 0, 3, "never"));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 3, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    return edt;
}

static ocrGuid_t event_with(ocrEventTypes_t type, ocrEventParams_t params) {
    ocrGuid_t event;
    OK(ocrEventCreateParams(&event, type, EVT_PROP_NONE, &params));
    waits_for(event);
    return event;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t latch = {.EVENT_LATCH = {.counter = 1}}, counted = {.EVENT_COUNTED = {.nbDeps = 2}};
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 5, .nbSat = 1, .nbDeps = 1}};
    ocrEventParams_t unbounded = {.EVENT_CHANNEL = {.maxGen = EVENT_CHANNEL_UNBOUNDED, .nbSat = 1, .nbDeps = 1}};
    ocrEventParams_t collective = {.EVENT_COLLECTIVE = {.maxGen = 2,
                                                        .nbContribs = 3,
                                                        .nbContribsPd = 3,
                                                        .nbDatum = 1,
                                                        .op = REDOP_U8_ADD,
                                                        .type = COL_ALLREDUCE}};
    ocrGuid_t event = event_of(OCR_EVENT_LATCH_T);
    u64 number = 1;
    OK(ocrAttachDebugLabel(event, "counts", 0, NULL));
    for (int n = 0; n < 2; n++)
        OK(ocrEventSatisfySlot(event, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    waits_for(event);
    event_with(OCR_EVENT_LATCH_T, latch);
    event_with(OCR_EVENT_COUNTED_T, counted);
    waits_for(event_with(OCR_EVENT_CHANNEL_T, channel));
    event_with(OCR_EVENT_CHANNEL_T, unbounded);
    event = event_with(OCR_EVENT_COLLECTIVE_T, collective);
    waits_for(event); /* for the second generation */
    for (u32 slot = 0; slot < 4; slot++)
        OK(ocrEventCollectiveSatisfySlot(event, &number, slot % 3));
    waits_for(event_of(OCR_EVENT_STICKY_T));
    return NULL_GUID;
}
