/* Strict mode: a data block is destroyed twice. */
// misuse: OCR-2.5.2-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbDestroy: a data block was destroyed twice (argument db)
// stderr: created by ocrDbCreate in EDT
// stderr: destroyed by ocrDbDestroy in EDT
// stderr: OCR 1.1.0, 2.5.2

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    OK(ocrDbDestroy(block));
    ocrDbDestroy(block);
    return NULL_GUID;
}
