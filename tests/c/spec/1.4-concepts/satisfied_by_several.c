/*
 * Strict mode: what is satisfied by several things, and may be: an idempotent event, a channel, a latch that counts
 * them. An event that was destroyed before what it depends on is satisfied is no misuse either.
 */
// clause: 1.4.3
// env: OCR_CHECK=strict
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEventTypes_t types[] = {OCR_EVENT_IDEM_T, OCR_EVENT_LATCH_T, OCR_EVENT_STICKY_T};
    ocrGuid_t outputs[6], edts[6], events[3], end = END(2), done;
    ocrEventParams_t params = {.EVENT_LATCH = {.counter = 2}};
    for (int n = 0; n < 3; n++) {
        OK(ocrEventCreateParams(&events[n], types[n], EVT_PROP_NONE, &params));
        for (int k = 0; k < 2; k++) {
            edts[2 * n + k] = EDT_WITH(worker, 0, NULL, 1, NULL, &outputs[2 * n + k]);
            link_to(outputs[2 * n + k], events[n], 0, DB_MODE_NULL);
        }
    }
    link_to(events[0], end, 0, DB_MODE_NULL);
    link_to(events[1], EDT_WITH(worker, 0, NULL, 1, NULL, &done), 0, DB_MODE_NULL);
    link_to(done, end, 1, DB_MODE_NULL);
    OK(ocrEventDestroy(events[2]));
    for (int n = 0; n < 6; n++)
        link_to(NULL_GUID, edts[n], 0, DB_MODE_NULL);
    return NULL_GUID;
}
