/* Strict mode: A copy of a type that does not exist. */
// misuse: OCR-db-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCopy: there is no copyType 16

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    ocrDbCopy(block, 0, block_with(2), 0, 4, 16, NULL);
    CHECK(ocrGuidIsEq(block, NULL_GUID));
    return NULL_GUID;
}
