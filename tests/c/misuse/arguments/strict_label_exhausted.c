/*
 * Strict mode: of two dependences that wait for their EDT, the second is one more than the counted event serves. That
 * is seen when the event is created, while the EDT is still to come.
 */
// misuse: OCR-arguments-j
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence
// stderr: (mainEdt): ocrAddDependence(source 0x
// stderr: slot 1, mode DB_MODE_NULL)
// stderr: It returned 0, and was refused when the labeled GUID that it waited for got its object.
// stderr: counted event 0x

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, edt, counted;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&edt, range, 0));
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_COUNTED));
    OK(ocrGuidFromIndex(&counted, range, 0));
    link_to(counted, edt, 0, DB_MODE_NULL);
    link_to(counted, edt, 1, DB_MODE_NULL);
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 1}};
    ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &params);
    CHECK(!"the dependence that is one too many was not accused");
    return NULL_GUID;
}
