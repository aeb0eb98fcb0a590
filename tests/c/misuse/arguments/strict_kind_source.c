/* Strict mode: an EDT as the source of a dependence. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: source is an EDT 0x
// stderr: not a data block, an event or NULL_GUID
// stderr: pass the address of a GUID as outputEvent

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAddDependence(END(1), END(1), 0, DB_MODE_NULL);
    return NULL_GUID;
}
