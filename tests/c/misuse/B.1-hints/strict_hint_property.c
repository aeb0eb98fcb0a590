/* Strict mode: a property of hints of another type. */
// misuse: OCR-B.1.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrSetHintValue: there is no property
// stderr: hints for EDTs and templates (OCR_HINT_EDT_T)
#include "strict.h"
#include <extensions/ocr-hints.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    ocrSetHintValue(&hint, OCR_HINT_DB_NEAR, 1);
    return NULL_GUID;
}
