/* Strict mode: an event in depv has all the dependences that it was created for. */
// misuse: OCR-B.4-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: a counted event has all the dependences that it was created for
// stderr: created by ocrEventCreateParams in EDT
// stderr: B.4
// stderr: larger nbDeps
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event;
    ocrEventParams_t params = {0};
    params.EVENT_COUNTED.nbDeps = 1;
    OK(ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params));
    for (int i = 0; i < 2; i++)
        spawn(end_edt, 0, NULL, 1, &event);
    return NULL_GUID;
}
