/* Strict mode: slot and mode in each other's place. */
// misuse: OCR-2.8.1-e
// env: OCR_CHECK=strict
// status: 1
// stderr: slot 8 is out of range: the EDT has pre-slots 0 to 1
// stderr: is one in the place of the other?
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAddDependence(block_with(1), end_after(2), DB_MODE_RO, (ocrDbAccessMode_t)0);
    return NULL_GUID;
}
