// An EDT that runs on a label destroys the range of that: the label takes no further EDT.
// clause: B.2.3
#include "check.h"

#include <extensions/ocr-labeling.h>

static ocrGuid_t range, label, template;

static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt = label;
    OK(ocrGuidMapDestroy(range));
    CHECK_EQ(ocrEdtCreate(&edt, template, 0, NULL, 0, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL), OCR_EINVAL);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 1));
    template = template_of(next, 0, 0);
    ocrGuid_t edt = label;
    OK(ocrEdtCreate(&edt, template, 0, NULL, 0, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    return NULL_GUID;
}
