/* Strict mode: an EDT releases a data block twice. */
// misuse: OCR-2.5.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbRelease: the EDT has released the data block before
// stderr: OCR 1.1.0, 2.5.3
// stderr: Remove one of the two calls

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    ocrDbRelease(block);
    return NULL_GUID;
}
