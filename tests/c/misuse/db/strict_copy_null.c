/* Strict mode: A copy from a pre-slot without data. */
// misuse: OCR-db-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCopy: source is NULL_GUID

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    ocrDbCopy(block, 4, NULL_GUID, 0, 4, 0, NULL);
    CHECK(ocrGuidIsEq(block, NULL_GUID));
    return NULL_GUID;
}
