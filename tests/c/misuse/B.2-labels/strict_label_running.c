/* Strict mode: the next EDT is created on the label of the one that creates it. */
// misuse: OCR-B.2.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: there is an object with the labeled GUID
// stderr: in EDT 0x
// stderr: (again): ocrEdtCreate(guid given
// stderr: An EDT keeps its GUID until it has ended.
#include "strict.h"

#include <extensions/ocr-labeling.h>

static ocrGuid_t s_label; /* set once, by mainEdt, before the EDT is made */

static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t next = s_label, tmpl = TEMPLATE(again, 0, 1);
    ocrEdtCreate(&next, tmpl, 0, NULL, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, guid, tmpl = TEMPLATE(again, 0, 0);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&s_label, range, 0));
    guid = s_label;
    OK(ocrEdtCreate(&guid, tmpl, 0, NULL, 0, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    return NULL_GUID;
}
