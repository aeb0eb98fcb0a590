/* Strict mode: a post-slot that a data block does not have. */
// misuse: OCR-2.8.1-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependenceSlot: source has no post-slot 1

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAddDependenceSlot(block_with(1), 1, END(1), 0, DB_MODE_RO);
    return NULL_GUID;
}
