/* Strict mode: source and destination of a dependence the wrong way round. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: destination is a data block 0x
// stderr: Are source and destination the wrong way round?

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAddDependence(event_of(OCR_EVENT_STICKY_T), block_with(4), 0, DB_MODE_RO);
    return NULL_GUID;
}
