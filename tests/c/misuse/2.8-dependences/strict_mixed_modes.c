/* Strict mode: one block in two modes for one EDT. */
// misuse: OCR-2.8.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT gets one data block in different modes: on pre-slot 0 in DB_MODE_RO
// stderr: on pre-slot 2 in DB_MODE_EW
// stderr: OCR 1.1.0, 2.8.1

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1), end = END(3);
    link_to(block, end, 0, DB_MODE_RO);
    link_to(block_with(2), end, 1, DB_MODE_RO);
    link_to(block, end, 2, DB_MODE_EW);
    return NULL_GUID;
}
