/*
 * Without strict mode: a dependence that waited for its EDT turns out to be for a pre-slot that the EDT does not have,
 * and a channel that calls waited for to take fewer satisfactions.
 */
// clause: B.2.3
// stderr: , which had to wait for a labeled GUID to get its object, was refused then: the slot is taken, or the event takes no more
// stderr: ocr: warning: ocrAddDependence from NULL_GUID to pre-slot 2 of 0x
// stderr: , which had to wait for a labeled GUID to get its object, was refused then: there is no such slot

#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t creator(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label = {(s64)paramv[0]}, tmpl = TEMPLATE(creator, 1, 2);
    OK(ocrEdtCreate(&label, tmpl, 1, paramv, 2, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrAddDependence(NULL_GUID, label, 2, DB_MODE_NULL));
    ocrGuid_t channels, channel;
    OK(ocrGuidRangeCreate(&channels, 1, GUID_USER_EVENT_CHANNEL));
    OK(ocrGuidFromIndex(&channel, channels, 0));
    for (int i = 0; i < 3; i++)
        OK(ocrEventSatisfy(channel, NULL_GUID));
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &params));
    u64 param = (u64)label.guid;
    EDT(creator, 1, &param, 0, NULL);
    return NULL_GUID;
}
