/* Strict mode: a contributor that a collective event does not have. */
// misuse: OCR-reduction-event-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCollectiveSatisfySlot: there is no contributor 2
// stderr: contributors have the slots 0 to nbContribs - 1

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
    u64 one = 1;
    OK(ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    ocrEventCollectiveSatisfySlot(sum, &one, 2);
    return NULL_GUID;
}
