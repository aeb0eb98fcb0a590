/* Strict mode: a template on a label, without the property that says so. */
// misuse: OCR-labeling-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtTemplateCreateLabeled: properties have none of GUID_PROP_
// stderr: call ocrEdtTemplateCreate for a template that has no label
#include "strict.h"

#include <extensions/ocr-labeling.h>

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, tmpl;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT_TEMPLATE));
    OK(ocrGuidFromIndex(&tmpl, range, 0));
    ocrEdtTemplateCreateLabeled(&tmpl, nothing, 0, 0, 0, "nothing");
    CHECK(!"strict mode ends it");
    return NULL_GUID;
}
