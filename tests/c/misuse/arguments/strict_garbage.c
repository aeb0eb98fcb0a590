/* Strict mode: a number that was never a GUID. */
// misuse: OCR-arguments-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: source (0xdeadbeef) is not the GUID of an object
// stderr: a GUID has 64 bits

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t garbage = {.guid = 0xdeadbeef};
    ocrAddDependence(garbage, END(1), 0, DB_MODE_RO);
    return NULL_GUID;
}
