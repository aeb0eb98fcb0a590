/* Strict mode: a hint is given to NULL_GUID. */
// misuse: OCR-arguments-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrSetHint: guid is NULL_GUID
// stderr: guid is an EDT, a template, an event or a data block (OCR 1.1.0, B.1.6)

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    ocrSetHint(NULL_GUID, &hint);
    return NULL_GUID;
}
