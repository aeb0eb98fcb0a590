/* Strict mode: a collective event is satisfied as others are. */
// misuse: OCR-reduction-event-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a collective event is not satisfied with a data block
// stderr: what to do: Call ocrEventCollectiveSatisfySlot
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 1,
                                                    .nbContribsPd = 1,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t sum;
    OK(ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    ocrEventSatisfy(sum, block_with(1));
    return NULL_GUID;
}
