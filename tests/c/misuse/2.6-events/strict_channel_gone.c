/* Strict mode: a channel event is asked for when it has been destroyed. */
// misuse: OCR-2.6.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacyIsChannelReady: a channel event was used after it had been destroyed
// stderr: what to do: Destroy the event after the last call that uses it
#include "strict.h"
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label, channel;
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 1, .nbSat = 1, .nbDeps = 1}};
    /* one that is to come may be asked for */
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_CHANNEL));
    OK(ocrGuidFromIndex(&label, range, 0));
    CHECK(!ocrLegacyIsChannelReady(label));
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
    CHECK(!ocrLegacyIsChannelReady(channel));
    OK(ocrEventDestroy(channel));
    while (!ocrLegacyIsChannelReady(channel))
        ocrProgressReport(0);
    return NULL_GUID;
}
