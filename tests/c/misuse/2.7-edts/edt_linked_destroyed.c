/* Strict mode: a dependence of an EDT that was destroyed. */
// misuse: OCR-2.7.4-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: an EDT was used after it had been destroyed (argument destination)
// stderr: destroyed by ocrEdtDestroy in EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt = END(1);
    OK(ocrEdtDestroy(edt));
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
