/* Strict mode: an event was destroyed so long ago that nothing is known of it any more. */
// misuse: OCR-arguments-h
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventDestroy: guid (0x
// stderr: ) is not the GUID of an object that exists

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t first = NULL_GUID;
    for (int n = 0; n < 300000; ++n) {
        ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
        OK(ocrEventDestroy(event));
        if (n == 0)
            first = event;
    }
    ocrEventDestroy(first);
    return NULL_GUID;
}
