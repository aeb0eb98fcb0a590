/*
 * EDTs that are not created because paramv and paramc contradict each other, in a program that does not
 * need them to end. OCR 1.2 asserts. Here the calls return OCR_EINVAL and the program goes on to its
 * ocrShutdown, and the status shows what the warnings said.
 */
// clause: 2.7.3
// status: 1
// stdout: the end
// stderr: no EDT was created, in EDT 0x
// stderr: paramv must be NULL where there are no parameters, as paramc is 0 (the template 0x
// stderr: paramv is NULL, but paramc is 2 (the template 0x
// stderr: of "never")
// stderr: the program ends with status 1: 3 of its EDTs were not created
#include "check.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT runs that was refused");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, none, two;
    u64 params[] = {1, 2};
    OK(ocrEdtTemplateCreate(&none, never, 0, 0));
    OK(ocrEdtTemplateCreate(&two, never, 2, 0));
    REFUSED(OCR_EINVAL,
            ocrEdtCreate(&guid, none, 0, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, two, 2, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, none, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                                     NULL_HINT, NULL));
    PRINTF("the end\n");
    ocrShutdown();
    return NULL_GUID;
}
