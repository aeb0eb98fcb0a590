// ocrLegacyIsChannelReady answers yes or no, which is no status: a hang does not name it as a call that was refused.
//
// clause: hang
// status: 1
// stderr: pre-slot 0: a dependence that was never added
// stderr-without: ocrLegacyIsChannelReady
// stderr-without: A call was refused before
// needs: halt
#include "check.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 1, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t channel, tmpl, edt;
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
    OK(ocrEventSatisfy(channel, NULL_GUID));
    CHECK(ocrLegacyIsChannelReady(channel));
    OK(ocrEdtTemplateCreate(&tmpl, never, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
