/* Strict mode: a counted event is destroyed that has served all its dependences. */
// misuse: OCR-B.4-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: a counted event was used after it had triggered (argument guid)

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 1}};
    ocrGuid_t counted;
    OK(ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params));
    link_to(counted, END(2), 0, DB_MODE_NULL);
    OK(ocrEventSatisfy(counted, NULL_GUID));
    ocrEventDestroy(counted);
    return NULL_GUID;
}
