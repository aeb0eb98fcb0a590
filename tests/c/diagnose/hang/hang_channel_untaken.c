/* A program that hangs since it has satisfied another channel than the one that an EDT waits for: both are shown. */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: which lacks a partner: 1 more dependence than satisfactions
// stderr: Nobody takes 2 satisfactions of the channel event 0x
// stderr: labelled "to the right"
// needs: halt
#include "check.h"

#include <extensions/ocr-debug.h>

static ocrGuid_t channel(const char *label) {
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = EVENT_CHANNEL_UNBOUNDED, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t event;
    OK(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params));
    OK(ocrAttachDebugLabel(event, label, 0, NULL));
    return event;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t left = channel("to the left"), right = channel("to the right");
    link_to(left, end_after(1), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(right, block_with(1)));
    OK(ocrEventSatisfy(right, block_with(2)));
    return NULL_GUID;
}
