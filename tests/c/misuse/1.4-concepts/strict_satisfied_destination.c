// A channel that holds something is made the source of an event that was satisfied already: that is what is said, and
// not that the channel has too many dependences.
//
// misuse: OCR-1.4.3-d
// env: OCR_CHECK=strict
// status: 1
// stderr: ocrAddDependence
// stderr: a sticky event was satisfied twice
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t channel, sticky = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
    OK(ocrEventSatisfy(channel, NULL_GUID));
    OK(ocrEventSatisfy(sticky, NULL_GUID));
    ocrAddDependence(channel, sticky, 0, DB_MODE_NULL);
    ocrShutdown();
    return NULL_GUID;
}
