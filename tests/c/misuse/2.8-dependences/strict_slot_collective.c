/* Strict mode: a dependence from a contributor's post-slot to a pre-slot that the EDT does not have. */
// misuse: OCR-2.8.1-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependenceSlot: slot 2 is out of range: the EDT has pre-slots 0 to 1

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
    ocrAddDependenceSlot(sum, 1, END(2), 2, DB_MODE_RO);
    return NULL_GUID;
}
