/*
 * OCR 1.2 ends a program by an assertion where an EDT is given another number of parameters than its
 * template says, or than are there. Here the call returns OCR_EINVAL and creates nothing, so that the EDT
 * which was to end the program does not exist, and the program is ended, with a status that is not 0,
 * since it hangs. The warning says why.
 *
 * OF_TEMPLATE, OF_EDT and PARAMV say what is given.
 */
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, tmpl;
    u64 params[] = {1, 2};
    (void)params;
    ocrEdtTemplateCreate(&tmpl, end_edt, OF_TEMPLATE, 0);
    ocrEdtCreate(&guid, tmpl, OF_EDT, PARAMV, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
