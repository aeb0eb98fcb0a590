/* Strict mode: a contribution without numbers. */
// misuse: OCR-reduction-event-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCollectiveSatisfySlot: dataPtr is NULL

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 2,
                                                    .nbContribsPd = 2,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t sum;
    OK(ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    ocrEventCollectiveSatisfySlot(sum, NULL, 0);
    return NULL_GUID;
}
