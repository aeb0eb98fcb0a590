/* Strict mode: GUIDs that name nothing. */
// misuse: OCR-arguments-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: eventGuid (UNINITIALIZED_GUID) is not the GUID of an object
// stderr: was never given a GUID

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = UNINITIALIZED_GUID;
    ocrEventSatisfy(event, NULL_GUID);
    return NULL_GUID;
}
