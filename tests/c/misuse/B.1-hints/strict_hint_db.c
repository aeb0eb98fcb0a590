/* Strict mode: a data block is created with a hint for EDTs, which it would do without. */
// misuse: OCR-B.1.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCreate: the hint is for EDTs and templates (OCR_HINT_EDT_T), but the object is a data block
// stderr: Call ocrHintInit(&hint, OCR_HINT_DB_T)
#include "strict.h"
#include <extensions/ocr-hints.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block;
    ocrHint_t hint;
    void *addr;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    ocrDbCreate(&block, &addr, 8, DB_PROP_NONE, &hint, NO_ALLOC);
    return NULL_GUID;
}
