/* Strict mode: an output event is used when its EDT was destroyed. */
// misuse: OCR-2.7.4-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: an output event was used after its EDT had been destroyed (argument source)
// stderr: destroyed by ocrEdtDestroy in EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, edt = EDT_WITH(end_edt, 0, NULL, 1, NULL, &done);
    OK(ocrEdtDestroy(edt));
    ocrAddDependence(done, END(1), 0, DB_MODE_NULL);
    return NULL_GUID;
}
