/* Strict mode: a hint of a type that there is not. */
// misuse: OCR-B.1.2-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrHintInit: there is no type 77 of hints
#include "strict.h"
#include <extensions/ocr-hints.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint;
    ocrHintInit(&hint, (ocrHintType_t)77);
    return NULL_GUID;
}
