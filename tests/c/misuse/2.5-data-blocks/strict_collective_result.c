/* Strict mode: the result of a collective event, one block that all get, is destroyed by two who know it. */
// misuse: OCR-2.5.2-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbDestroy: a data block was destroyed twice
// stderr: (8 bytes)
// stderr: created by ocrEventCollectiveSatisfySlot, as the result of a collective event, in EDT
// stderr: destroyed by ocrDbDestroy in EDT
#include "strict.h"
#include <extensions/ocr-reduction-event.h>

enum { CONTRIBUTORS = 2 };

/* Behind the other, of the block that it knows. */
static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block;
    memcpy(&block, paramv, sizeof block);
    ocrDbDestroy(block);
    return NULL_GUID;
}

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 copy;
    memcpy(&copy, &depv[0].guid, sizeof copy);
    OK(ocrDbDestroy(depv[0].guid));
    EDT(again, 1, &copy, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event, edt = EDT(first, 0, NULL, 1, NULL);
    ocrEventParams_t params = {0};
    params.EVENT_COLLECTIVE.maxGen = 1;
    params.EVENT_COLLECTIVE.nbContribs = params.EVENT_COLLECTIVE.nbContribsPd = CONTRIBUTORS;
    params.EVENT_COLLECTIVE.nbDatum = 1;
    params.EVENT_COLLECTIVE.arity = 2;
    params.EVENT_COLLECTIVE.op = REDOP_F8_ADD;
    params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &params));
    OK(ocrAddDependenceSlot(event, 0, edt, 0, DB_MODE_RO));
    double value = 1.5;
    for (u32 at = 0; at < CONTRIBUTORS; at++)
        OK(ocrEventCollectiveSatisfySlot(event, &value, at));
    return NULL_GUID;
}
