/* Strict mode: a counted event without a number of dependences. */
// misuse: OCR-B.3.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: a counted event needs parameters

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event;
    ocrEventCreate(&event, OCR_EVENT_COUNTED_T, EVT_PROP_NONE);
    return NULL_GUID;
}
