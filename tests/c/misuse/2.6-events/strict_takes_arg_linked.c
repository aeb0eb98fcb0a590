/* Strict mode: the same by a dependence, of an event on a data block, which satisfies it. */
// misuse: OCR-2.6.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: destination (0x
// stderr: is a channel event that was created without EVT_PROP_TAKES_ARG, and is given a data block
// stderr: created by ocrEventCreateParams in EDT 0x
// stderr: OCR 1.1.0, 2.8.1; 2.6.1

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event, block = block_with(1);
    ocrEventParams_t params;
    params.EVENT_CHANNEL.maxGen = 1;
    params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
    OK(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, false, &params));
    link_to(event, END(1), 0, DB_MODE_RO);
    OK(ocrAddDependence(block, event, 0, DB_MODE_NULL));
    return NULL_GUID;
}
