/* Strict mode: the same of a map, for another type with parameters. Right types are not reported. */
// misuse: OCR-B.2.2-a
// env: OCR_CHECK=strict
// status: 1
// stdout: the right types
// stderr: strict mode: ocrEventCreateParams: a counted event is created on the labeled GUID 0x
// stderr: which is for a latch event (GUID_USER_EVENT_LATCH)
// stderr: created by ocrGuidMapCreate in EDT 0x

#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t first_plus(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)params;
    return addValueToGuid(start, (u64)tuple[0] * skip);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const struct {
        ocrGuidUserKind kind;
        ocrEventTypes_t type;
    } right[] = {{GUID_USER_EVENT_ONCE, OCR_EVENT_ONCE_T},       {GUID_USER_EVENT_COUNTED, OCR_EVENT_COUNTED_T},
                 {GUID_USER_EVENT_IDEM, OCR_EVENT_IDEM_T},       {GUID_USER_EVENT_STICKY, OCR_EVENT_STICKY_T},
                 {GUID_USER_EVENT_LATCH, OCR_EVENT_LATCH_T},     {GUID_USER_EVENT_CHANNEL, OCR_EVENT_CHANNEL_T},
                 {GUID_USER_EVENT_COLLECTIVE, OCR_EVENT_COLLECTIVE_T}};
    ocrGuid_t map, label;
    s64 tuple[] = {1};
    ocrEventParams_t params;
    for (u32 i = 0; i < sizeof right / sizeof *right; i++) {
        memset(&params, 0, sizeof params);
        switch (right[i].type) {
        case OCR_EVENT_COUNTED_T:
            params.EVENT_COUNTED.nbDeps = 1;
            break;
        case OCR_EVENT_CHANNEL_T:
            params.EVENT_CHANNEL.maxGen = params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
            break;
        case OCR_EVENT_COLLECTIVE_T:
            params.EVENT_COLLECTIVE.maxGen = params.EVENT_COLLECTIVE.nbContribs = 1;
            params.EVENT_COLLECTIVE.nbContribsPd = params.EVENT_COLLECTIVE.nbDatum = 1;
            params.EVENT_COLLECTIVE.op = REDOP_U8_ADD;
            params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
            break;
        default:
            break;
        }
        OK(ocrGuidMapCreate(&map, 0, first_plus, NULL, 2, right[i].kind));
        OK(ocrGuidFromLabel(&label, map, tuple));
        OK(ocrEventCreateParams(&label, right[i].type, EVT_PROP_NONE | GUID_PROP_IS_LABELED, &params));
    }
    ocrPrintf("the right types\n");
    params.EVENT_COUNTED.nbDeps = 1;
    OK(ocrGuidMapCreate(&map, 0, first_plus, NULL, 2, GUID_USER_EVENT_LATCH));
    OK(ocrGuidFromLabel(&label, map, tuple));
    OK(ocrEventCreateParams(&label, OCR_EVENT_COUNTED_T, EVT_PROP_NONE | GUID_PROP_IS_LABELED, &params));
    ocrShutdown();
    return NULL_GUID;
}
