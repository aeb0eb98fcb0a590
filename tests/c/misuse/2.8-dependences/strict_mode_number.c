/* Strict mode: an access mode that does not exist. */
// misuse: OCR-2.8.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: there is no access mode 3
// stderr: data block 0x
// stderr: , created by ocrDbCreate in EDT 0x
// stderr: (end_edt), created by ocrEdtCreate in EDT 0x

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAddDependence(block_with(1), END(1), 0, (ocrDbAccessMode_t)3);
    return NULL_GUID;
}
