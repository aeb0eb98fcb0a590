/* Strict mode: a contributor creates a collective event that is there with other parameters. */
// misuse: OCR-reduction-event-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreateParams: the collective event
// stderr: is there, with other parameters: nbDatum 1 and not 2, op 0x
// stderr: created by ocrEventCreateParams in EDT
// stderr: Compare the parameters with those of its creation

#include "strict.h"

#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 2,
                                                    .nbContribsPd = 2,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t range, sum;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_COLLECTIVE));
    OK(ocrGuidFromIndex(&sum, range, 0));
    OK(ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, GUID_PROP_IS_LABELED, &params));
    params.EVENT_COLLECTIVE.nbDatum = 2;
    params.EVENT_COLLECTIVE.op = REDOP_U8_MIN;
    ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, GUID_PROP_IS_LABELED, &params);
    return NULL_GUID;
}
