/* Strict mode: one of two events in depv of a kernel EDT takes no further dependence; its affinity is right. */
// misuse: OCR-2.7.3-h
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: strict mode: ocrOpenclTaskCreate: one of these events in depv takes no further dependence
// stderr: counted event 0x
// stderr: channel event 0x
// stderr: larger nbDeps or maxGen
// stderr-without: affinity is NULL_GUID
#include "strict.h"
#include <extensions/ocr-opencl.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, events[2];
    const size_t one = 1;
    ocrEventParams_t counted = {0}, channel = {0};
    counted.EVENT_COUNTED.nbDeps = 1;
    channel.EVENT_CHANNEL.maxGen = 2;
    channel.EVENT_CHANNEL.nbSat = channel.EVENT_CHANNEL.nbDeps = 1;
    OK(ocrEventCreateParams(&events[0], OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &counted));
    OK(ocrEventCreateParams(&events[1], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &channel));
    OK(ocrOpenclTemplateCreate(&tmpl, "kernel void k(global int *x, global int *y) {}", NULL, "k", 0, 2, NULL));
    for (int i = 0; i < 2; i++)
        OK(ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &one, NULL, 0, NULL, 2, events, EDT_PROP_NONE, NULL_GUID, NULL));
    return NULL_GUID;
}
