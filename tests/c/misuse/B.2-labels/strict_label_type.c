/* Strict mode: an event is created on a label of a range for events of another type. */
// misuse: OCR-B.2.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: a sticky event is created on the labeled GUID 0x
// stderr: (index 3 of 0x
// stderr: which is for a once event (GUID_USER_EVENT_ONCE)
// stderr: created by ocrGuidRangeCreate in EDT 0x
// stderr: OCR 1.1.0, 2.6.1; B.2.2
// stderr: Pass to ocrGuidRangeCreate, or ocrGuidMapCreate, the GUID_USER_EVENT_ kind

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 5, GUID_USER_EVENT_ONCE));
    OK(ocrGuidFromIndex(&label, range, 2));
    OK(ocrEventCreate(&label, OCR_EVENT_ONCE_T, EVT_PROP_NONE | GUID_PROP_CHECK));
    OK(ocrGuidFromIndex(&label, range, 3));
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, EVT_PROP_NONE | GUID_PROP_CHECK));
    ocrShutdown();
    return NULL_GUID;
}
