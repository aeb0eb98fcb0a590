/* Strict mode: a dependence is added to a pre-slot that the EDT does not have. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: slot 2 is out of range: the EDT has pre-slots 0 to 1
// stderr: (end_edt)
// stderr: Slots count from 0

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAddDependence(block_with(1), END(2), 2, DB_MODE_RO);
    return NULL_GUID;
}
