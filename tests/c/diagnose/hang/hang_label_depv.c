/* An EDT on a labeled GUID does not use its depv: the message about the hang says so. */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: depv of ocrEdtCreate is not used for an EDT on a labeled GUID
// needs: halt
#include "check.h"

#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label, tmpl, none = NULL_GUID;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 0));
    OK(ocrEdtTemplateCreate(&tmpl, end_edt, 0, 1));
    OK(ocrEdtCreate(&label, tmpl, 0, NULL, 1, &none, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    return NULL_GUID;
}
