/* Strict mode: an EDT is created on the label of one that was destroyed while an event was connected to it. */
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: there is an object with the labeled GUID 0x
// stderr: destroyed by ocrEdtDestroy in EDT 0x
// stderr: It was destroyed, but events that were connected to its pre-slots still know it: satisfy or destroy them first

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label, edt, event, tmpl = template_of(mainEdt, 0, 1);
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    edt = label;
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrAddDependence(event, label, 0, DB_MODE_NULL));
    OK(ocrEdtDestroy(label));
    /* Without the event it is gone, and so it could be. */
    OK(ocrEventDestroy(event));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    OK(ocrAddDependence(event, label, 0, DB_MODE_NULL));
    OK(ocrEdtDestroy(label));
    ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL);
    return NULL_GUID;
}
