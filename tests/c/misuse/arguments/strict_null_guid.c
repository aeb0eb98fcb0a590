/* Strict mode: NULL_GUID where an object is needed. */
// misuse: OCR-arguments-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: templateGuid is NULL_GUID
// stderr: a variable that was not set yet

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid;
    ocrEdtCreate(&guid, NULL_GUID, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
