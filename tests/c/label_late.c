/* Without strict mode: a dependence that waited for its EDT turns out to be for a pre-slot that the EDT does not have. */
// stderr: ocr: warning: ocrAddDependence from NULL_GUID to pre-slot 2 of 0x
// stderr: , which had to wait for a labeled GUID to get its object, was refused then: there is no such slot

#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t creator(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label = {(s64)paramv[0]}, tmpl = TEMPLATE(creator, 1, 2);
    OK(ocrEdtCreate(&label, tmpl, 1, paramv, 2, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, NULL));
    ocrShutdown();
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
