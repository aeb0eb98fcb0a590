/* Strict mode: a channel event has as many dependences that wait as it holds. */
// misuse: OCR-B.5-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: a channel event takes no further dependence now

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 1, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t channel, end = END(2);
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
    OK(ocrAddDependence(channel, end, 0, DB_MODE_RO));
    ocrAddDependence(channel, end, 1, DB_MODE_RO);
    return NULL_GUID;
}
