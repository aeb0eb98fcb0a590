/* Strict mode: an EDT is satisfied as if it were an event. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: eventGuid is an EDT 0x
// stderr: (end_edt)
// stderr: ocrAddDependence(data, edt, slot, mode) satisfies a pre-slot

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventSatisfy(END(1), NULL_GUID);
    return NULL_GUID;
}
