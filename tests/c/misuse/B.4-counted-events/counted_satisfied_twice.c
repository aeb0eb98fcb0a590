/* Strict mode: a counted event is satisfied twice. */
// misuse: OCR-B.4-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a counted event was satisfied twice
// stderr: (OCR 1.1.0, 2.6.3; B.4)

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 2}};
    ocrGuid_t counted;
    OK(ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params));
    link_to(counted, END(2), 0, DB_MODE_NULL);
    OK(ocrEventSatisfy(counted, NULL_GUID));
    ocrEventSatisfy(counted, NULL_GUID);
    return NULL_GUID;
}
