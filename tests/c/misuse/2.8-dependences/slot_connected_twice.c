/* Strict mode: two dependences are added to one pre-slot. */
// misuse: OCR-2.8.1-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: pre-slot 0 is connected already
// stderr: pre-slot 0 connected to data block 0x
// stderr: by ocrAddDependence in EDT
// stderr: each has its own

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = END(2);
    link_to(block_with(1), end, 0, DB_MODE_RO);
    ocrAddDependence(block_with(2), end, 0, DB_MODE_RO);
    return NULL_GUID;
}
