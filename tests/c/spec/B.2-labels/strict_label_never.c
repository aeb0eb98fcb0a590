/* Strict mode: at the end of the program, calls are reported that have waited in vain for an object. */
// clause: B.2.3
// env: OCR_CHECK=strict
// stderr: strict mode: 1 call was never made
// stderr: ocrEventSatisfy of 0x
// stderr: (mainEdt) waits until an object is created on the labeled GUID 0x
// stderr: (index 3 of 0x

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 3));
    OK(ocrEventSatisfy(label, NULL_GUID));
    ocrShutdown();
    return NULL_GUID;
}
