/* Strict mode: a channel event holds as many satisfactions as it can. */
// misuse: OCR-B.5-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a channel event takes no further satisfaction now

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 1, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t channel;
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
    OK(ocrEventSatisfy(channel, NULL_GUID));
    ocrEventSatisfy(channel, NULL_GUID);
    return NULL_GUID;
}
