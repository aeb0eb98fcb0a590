/* Strict mode: a counted event has all its dependences. */
// misuse: OCR-B.4-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: a counted event has all the dependences that it was created for
// stderr: a counted event serves nbDeps dependences (OCR 1.1.0, 2.8.1; B.4)

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 1}};
    ocrGuid_t counted, end = END(2), passes;
    OK(ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params));
    OK(ocrEventCreate(&passes, OCR_EVENT_ONCE_T, EVT_PROP_NONE));
    OK(ocrAddDependence(counted, end, 0, DB_MODE_RO));
    ocrAddDependence(counted, passes, 0, DB_MODE_RO);
    return NULL_GUID;
}
