/* Strict mode: the address of a data block in the place of its GUID. */
// misuse: OCR-arguments-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: source (0x
// stderr: ) is not a GUID, but the address of data block 0x

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    block_of(64, &addr);
    ocrAddDependence((ocrGuid_t){(s64)(intptr_t)addr}, END(1), 0, DB_MODE_RO);
    return NULL_GUID;
}
