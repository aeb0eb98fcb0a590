/* 2.7.1: the function ocrEdtTemplateCreate refuses what the macro refuses, and writes nothing then. */
// clause: 2.7.1
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = ERROR_GUID;
    REFUSED(OCR_EINVAL, (ocrEdtTemplateCreate)(NULL, mainEdt, 0, 0));
    REFUSED(OCR_EINVAL, (ocrEdtTemplateCreate)(&tmpl, NULL, 0, 0));
    REFUSED(OCR_EINVAL, (ocrEdtTemplateCreate)(&tmpl, mainEdt, EDT_PARAM_DEF, 0));
    REFUSED(OCR_EINVAL, (ocrEdtTemplateCreate)(&tmpl, mainEdt, 0, EDT_PARAM_DEF));
    CHECK(ocrGuidIsError(tmpl));
    ocrShutdown();
    return NULL_GUID;
}
