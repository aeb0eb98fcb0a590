/* Strict mode: a block that is written once is asked for writing again. */
// misuse: OCR-db-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: the data block was to be written once, and was
// stderr: DB_PROP_SINGLE_ASSIGNMENT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block, end = END(1);
    OK(ocrDbCreate(&block, &addr, 8, DB_PROP_SINGLE_ASSIGNMENT, NULL_HINT, NO_ALLOC));
    OK(ocrDbRelease(block));
    ocrAddDependence(block, end, 0, DB_MODE_EW);
    return NULL_GUID;
}
