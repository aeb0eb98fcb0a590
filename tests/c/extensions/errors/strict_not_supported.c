/* Strict mode reports a call that asks for what this runtime does not have. */
// clause: ocr-errors.h
// env: OCR_CHECK=strict
// stderr: note: strict mode: ocrEventCreateParams, in EDT 0x
// stderr: was refused with OCR_ENOTSUP
#include "strict.h"
#include <extensions/ocr-reduction-event.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event;
    ocrEventParams_t params = {0};
    params.EVENT_COLLECTIVE.maxGen = params.EVENT_COLLECTIVE.nbContribs = params.EVENT_COLLECTIVE.nbContribsPd = 1;
    params.EVENT_COLLECTIVE.nbDatum = 1;
    params.EVENT_COLLECTIVE.arity = 2;
    params.EVENT_COLLECTIVE.op = REDOP_U8_ADD;
    params.EVENT_COLLECTIVE.type = COL_REDUCE;
    REFUSED(OCR_ENOTSUP, ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    ocrShutdown();
    return NULL_GUID;
}
