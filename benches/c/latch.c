/* latch [EVENTS]: EVENTS once events connected with the decrement slot of one latch event.
 *
 * ns_per_dependence   connecting an event with the latch, and satisfying it
 * ns_connect          of that, ocrAddDependence
 * ns_satisfy          of that, ocrEventSatisfy
 * ns_create           creating an event, not part of ns_per_dependence */
#include "bench.h"

static u64 events;
static double begin, created, connected;

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    figure("ns_per_dependence", (ended - created) / (double)events);
    figure("ns_connect", (connected - created) / (double)events);
    figure("ns_satisfy", (ended - connected) / (double)events);
    figure("ns_create", (created - begin) / (double)events);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    events = sizeArgument(depv, 1, 1000000);
    ocrGuid_t latch, last, *event = malloc(events * sizeof *event);
    EXPECT(event != NULL);
    ocrEventParams_t params = { .EVENT_LATCH = { .counter = events } };
    MUST(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
    MUST(ocrEdtCreate(&last, template(end, 0, 1), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &latch, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    begin = now();
    for (u64 i = 0; i < events; i++)
        MUST(ocrEventCreate(&event[i], OCR_EVENT_ONCE_T, EVT_PROP_NONE));
    created = now();
    for (u64 i = 0; i < events; i++)
        MUST(ocrAddDependence(event[i], latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL));
    connected = now();
    for (u64 i = 0; i < events; i++)
        MUST(ocrEventSatisfy(event[i], NULL_GUID));
    free(event);
    return NULL_GUID;
}
