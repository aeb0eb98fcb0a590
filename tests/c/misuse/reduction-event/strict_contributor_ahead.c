/* Strict mode: a contributor contributes twice before the others. */
// misuse: OCR-reduction-event-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCollectiveSatisfySlot: the contributor is maxGen generations ahead of the others

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 one = 1;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 2,
                                                    .nbContribsPd = 2,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t sum;
    OK(ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    OK(ocrEventCollectiveSatisfySlot(sum, &one, 0));
    ocrEventCollectiveSatisfySlot(sum, &one, 0);
    return NULL_GUID;
}
