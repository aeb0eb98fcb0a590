/* Strict mode: a place in the place of an event. */
// misuse: OCR-arguments-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: source is a place (an affinity) (0x
// stderr: what to do: Places stand in hints alone

#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t place;
    OK(ocrAffinityGetCurrent(&place));
    ocrAddDependence(place, END(1), 0, DB_MODE_NULL);
    return NULL_GUID;
}
