/*
 * A program that never ends, with EDTs that wait for events of the kinds of the extensions: the
 * message says for which.
 */
// clause: hang
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

#define NEVER(name) \
    static ocrGuid_t name(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) { \
        (void)paramc, (void)paramv, (void)depc, (void)depv; \
        CHECK(!#name " ran without its dependence"); \
        return NULL_GUID; \
    }

NEVER(on_counted)
NEVER(on_channel)
NEVER(on_channel_second)
NEVER(on_collective)

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
    spawn(on_counted, 0, NULL, 1, &event);
    OK(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &channel));
    spawn(on_channel, 0, NULL, 1, &event);
    link_to(event, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    spawn(on_channel_second, 0, NULL, 1, &event);
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &collective));
    link_to(event, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    spawn(on_collective, 0, NULL, 1, &event);
    OK(ocrEventCollectiveSatisfySlot(event, &number, 0));
    OK(ocrEventCollectiveSatisfySlot(event, &number, 1));
    OK(ocrEventCollectiveSatisfySlot(event, &number, 0));
    return NULL_GUID;
}
