/* An EDT returns a labeled GUID that is one for EDTs: no data. What depends on it does not wait for that EDT. */
// clause: B.2.3
#include "check.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return (ocrGuid_t){(s64)paramv[0]};
}

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(ocrGuidIsNull(depv[0].guid));
    CHECK(depv[0].ptr == NULL);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label, output;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 0));
    u64 param = (u64)label.guid;
    ocrGuid_t first = spawn_with(returns, 1, &param, 1, NULL, EDT_PROP_NONE, &output);
    spawn(gets, 0, NULL, 1, &output);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
