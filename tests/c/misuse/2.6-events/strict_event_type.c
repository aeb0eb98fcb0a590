/* Strict mode: a type of event that does not exist. */
// misuse: OCR-2.6.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: there is no event type 77

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid;
    ocrEventCreate(&guid, (ocrEventTypes_t)77, EVT_PROP_NONE);
    return NULL_GUID;
}
