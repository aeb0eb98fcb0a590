/* Strict mode: an EDT is destroyed as if it were an event. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: guid is an EDT 0x
// stderr: (end_edt)
// stderr: ocrAddDependence(data, edt, slot, mode) satisfies a pre-slot of an EDT; ocrEdtDestroy

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventDestroy(END(1));
    return NULL_GUID;
}
