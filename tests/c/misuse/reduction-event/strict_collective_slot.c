/* Strict mode: the dependences of all contributors are added on the post-slot of the first. */
// misuse: OCR-reduction-event-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: a collective event takes no further dependence of this contributor now
// stderr: what to do: Connect each contributor's with ocrAddDependenceSlot and its number
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
    for (int i = 0; i < 2; ++i)
        ocrAddDependence(sum, end_after(1), 0, DB_MODE_RO);
    return NULL_GUID;
}
