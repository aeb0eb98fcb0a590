/* Strict mode: nowhere to write a GUID to. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: guid is NULL
// stderr: Pass the address of a variable

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventCreate(NULL, OCR_EVENT_ONCE_T, EVT_PROP_NONE);
    return NULL_GUID;
}
