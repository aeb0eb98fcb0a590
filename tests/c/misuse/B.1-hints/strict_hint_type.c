/* Strict mode: a hint for EDTs is given to a data block. */
// misuse: OCR-B.1.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrSetHint: the hint is for EDTs and templates (OCR_HINT_EDT_T), but guid is a data block
// stderr: data block 0x
// stderr: "input"
// stderr: created by ocrDbCreate in EDT
// stderr: OCR 1.1.0, B.1.6
// stderr: Call ocrHintInit(&hint, OCR_HINT_DB_T)

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    ocrHint_t hint;
    OK(ocrAttachDebugLabel(block, "input", 0, NULL));
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    ocrSetHint(block, &hint);
    return NULL_GUID;
}
