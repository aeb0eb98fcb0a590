/* Strict mode: two creations on one label, each of which says that it is the only one. */
// misuse: OCR-B.2.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventCreate: there is an object with the labeled GUID
// stderr: created by ocrEventCreate in EDT
// stderr: what to do: Create it in one place; or, if several EDTs may be the first, with GUID_PROP_CHECK
#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 0));
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED));
    REFUSED(OCR_EGUIDEXISTS, ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED);
    return NULL_GUID;
}
