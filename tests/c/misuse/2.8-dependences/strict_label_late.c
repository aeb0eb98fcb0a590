/* Strict mode: a dependence that waited for its EDT turns out to be for a pre-slot that the EDT does not have. */
// misuse: OCR-2.8.1-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: slot 2 is out of range
// stderr: in EDT 0x
// stderr: (mainEdt): ocrAddDependence(source NULL_GUID, destination 0x
// stderr: It returned 0, and was refused when the labeled GUID that it waited for got its object.
// stderr-without: pre-slot 2 connected

#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t creator(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label = {(s64)paramv[0]}, tmpl = TEMPLATE(creator, 1, 2);
    OK(ocrEdtCreate(&label, tmpl, 1, paramv, 2, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));
    CHECK(!"the call that had to wait was not accused");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrAddDependence(NULL_GUID, label, 2, DB_MODE_NULL));
    u64 param = (u64)label.guid;
    EDT(creator, 1, &param, 0, NULL);
    return NULL_GUID;
}
