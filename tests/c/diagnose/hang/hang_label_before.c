/* Strict mode: an EDT waits for the second once event on a label; it was the first that was satisfied. */
// clause: hang
// env: OCR_CHECK=strict
// status: nonzero
// needs: halt
// stderr: the once event 0x
// stderr: was never satisfied (ocrEventSatisfy); the event that had this labeled GUID before was satisfied by ocrEventSatisfy in EDT 0x
#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 2, GUID_USER_EVENT_ONCE));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrEventCreate(&label, OCR_EVENT_ONCE_T, GUID_PROP_CHECK));
    OK(ocrEventSatisfy(label, NULL_GUID));
    OK(ocrEventCreate(&label, OCR_EVENT_ONCE_T, GUID_PROP_CHECK));
    link_to(label, end_after(1), 0, DB_MODE_NULL);
    return NULL_GUID;
}
