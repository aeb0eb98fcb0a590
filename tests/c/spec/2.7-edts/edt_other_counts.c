/* Numbers of parameters and pre-slots that are others than the template's: the EDT has those of the call. */
// clause: 2.7.3
// stderr: ocr: warning: an EDT of the template
// stderr: has paramc 1 and depc 2, as the call says; its template says paramc 2 and depc 0
#include "check.h"

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 1);
    CHECK_EQ(paramv[0], 5);
    CHECK_EQ(depc, 2);
    CHECK_EQ(number_in(depv[0]), 7);
    CHECK(ocrGuidIsNull(depv[1].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt, tmpl = template_of(looks, 2, 0), other;
    u64 params[] = {5, 6};
    OK(ocrEdtCreate(&edt, tmpl, 1, params, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    // A number that is not given stays an error.
    REFUSED(OCR_EINVAL, ocrEdtCreate(&other, tmpl, EDT_PARAM_UNK, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&other, tmpl, 2, params, 1 << 28, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    link_to(block_with(7), edt, 0, DB_MODE_RO);
    return NULL_GUID;
}
