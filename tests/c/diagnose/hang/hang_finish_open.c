/*
 * A hang because a finish scope is kept open: by an EDT in it that waits, and in a scope nested in it.
 * The finish EDT itself has ended.
 */
// clause: hang
// status: 1
// stderr: (after_it) waits on
// stderr: the output event of the finish EDT
// stderr: (opens_it), whose scope is open
// stderr: the finish scope of EDT
// stderr: (left_open)
// stderr: is kept open by the finish scope of EDT
// stderr: (nested)
// needs: halt
#include "check.h"

static ocrGuid_t left_open(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

static ocrGuid_t nested(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt;
    OK(ocrEdtTemplateCreate(&tmpl, left_open, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}

static ocrGuid_t opens_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt;
    OK(ocrEdtTemplateCreate(&tmpl, nested, 0, 0));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 0, NULL, EDT_PROP_FINISH, NULL_HINT, NULL));
    return NULL_GUID;
}

static ocrGuid_t after_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return left_open(paramc, paramv, depc, depv);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t opens, after, edt, output, gate = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEdtTemplateCreate(&opens, opens_it, 0, 1));
    OK(ocrEdtTemplateCreate(&after, after_it, 0, 1));
    OK(ocrEdtCreate(&edt, opens, 0, NULL, 1, &gate, EDT_PROP_FINISH, NULL_HINT, &output));
    OK(ocrEdtCreate(&edt, after, 0, NULL, 1, &output, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}
