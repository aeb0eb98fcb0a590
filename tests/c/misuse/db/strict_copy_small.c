/* Strict mode: A copy of more bytes than there is room for. */
// misuse: OCR-db-g
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCopy: the destination is too small: it has 8 bytes

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    ocrDbCopy(block, 4, block_with(2), 0, 8, 0, NULL);
    CHECK(ocrGuidIsEq(block, NULL_GUID));
    return NULL_GUID;
}
