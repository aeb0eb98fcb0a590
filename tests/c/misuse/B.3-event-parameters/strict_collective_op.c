/* Strict mode: a collective event whose operator is none, as real numbers have no bits to combine. */
// misuse: OCR-B.3.3-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreateParams: a parameter of a collective event is out of range
// stderr: Its op is a sum of REDOP_ values: REAL has 4 or 8 bytes, and no BITAND, BITOR or BITXOR.

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 2,
                                                    .nbContribsPd = 2,
                                                    .nbDatum = 1,
                                                    .op = REDOP_F8_ADD | REDOP_BITAND,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t guid;
    ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params);
    return NULL_GUID;
}
