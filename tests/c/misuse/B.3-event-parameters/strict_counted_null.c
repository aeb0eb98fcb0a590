/* Strict mode: a counted event whose parameters lack. */
// misuse: OCR-B.3.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreateParams: params is NULL, but a counted event needs parameters

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event;
    ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, NULL);
    return NULL_GUID;
}
