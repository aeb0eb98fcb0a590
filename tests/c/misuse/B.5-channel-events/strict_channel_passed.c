/*
 * Strict mode: a bounded channel event is satisfied, by events that it depends on, more often than it holds. Without
 * strict mode it takes what comes that way.
 */
// misuse: OCR-B.5-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a channel event was satisfied more often than it holds
// stderr: seen when it was satisfied by an event that it depends on
// stderr: a channel event holds maxGen satisfactions
// stderr: EVENT_CHANNEL_UNBOUNDED
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params;
    memset(&params, 0, sizeof params);
    params.EVENT_CHANNEL.maxGen = 1;
    params.EVENT_CHANNEL.nbSat = 1;
    params.EVENT_CHANNEL.nbDeps = 1;
    ocrGuid_t channel, first = event_of(OCR_EVENT_STICKY_T), second = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params));
    link_to(first, channel, 0, DB_MODE_NULL);
    link_to(second, channel, 0, DB_MODE_NULL);
    OK(ocrEventSatisfy(first, NULL_GUID));
    OK(ocrEventSatisfy(second, NULL_GUID));
    CHECK(!"it does not come so far");
    return NULL_GUID;
}
