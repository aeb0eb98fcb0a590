/* Strict mode: a collective event is given as an output event. */
// misuse: OCR-reduction-event-h
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: *outputEvent is a collective event
// stderr: ocrEventCollectiveSatisfySlot
#include "strict.h"
#include <extensions/ocr-reduction-event.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event, edt;
    ocrEventParams_t params = {0};
    params.EVENT_COLLECTIVE.maxGen = params.EVENT_COLLECTIVE.nbContribs = params.EVENT_COLLECTIVE.nbContribsPd = 1;
    params.EVENT_COLLECTIVE.nbDatum = 1;
    params.EVENT_COLLECTIVE.arity = 2;
    params.EVENT_COLLECTIVE.op = REDOP_U8_ADD;
    params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    OK(ocrEdtCreate(&edt, template_of(end_edt, 0, 0), 0, NULL, 0, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &event));
    return NULL_GUID;
}
