/* Strict mode: the content of a block is passed on that has been released. */
// misuse: OCR-db-by-value-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependenceByValue: the EDT has released the data block before
// stderr: Pass the content on before ocrDbRelease

#include "strict.h"
#include <extensions/ocr-db-by-value.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = END(1);
    ocrAddDependenceByValue(block_with(1), end, 0, DB_MODE_RO);
    return NULL_GUID;
}
