/* Strict mode: a type of collective event that there is not. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreateParams: COL_REDUCE and COL_BROADCAST are not supported
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 1,
                                                    .nbContribsPd = 1,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_BROADCAST}};
    ocrGuid_t sum;
    ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params);
    return NULL_GUID;
}
