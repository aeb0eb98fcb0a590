/* Strict mode: A copy from a block to itself. */
// misuse: OCR-db-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCopy: source and destination are one data block

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    ocrDbCopy(block, 4, block, 0, 4, 0, NULL);
    CHECK(ocrGuidIsEq(block, NULL_GUID));
    return NULL_GUID;
}
