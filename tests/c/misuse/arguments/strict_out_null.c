/* Strict mode: nowhere to write a GUID to. */
// misuse: OCR-arguments-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: guid is NULL
// stderr: ocrEventCreate(guid NULL, eventType OCR_EVENT_ONCE_T, properties GUID_PROP_CHECK | EVT_PROP_TAKES_ARG)
// stderr: Pass the address of a variable

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventCreate(NULL, OCR_EVENT_ONCE_T, GUID_PROP_CHECK | EVT_PROP_TAKES_ARG);
    return NULL_GUID;
}
