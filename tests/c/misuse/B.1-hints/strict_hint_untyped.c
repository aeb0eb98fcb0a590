/* Strict mode: a hint that was never made one. */
// misuse: OCR-B.1.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrSetHintValue: the hint has no type
// stderr: what to do: Call ocrHintInit
#include "strict.h"
#include <extensions/ocr-hints.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint = {0};
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 1);
    return NULL_GUID;
}
