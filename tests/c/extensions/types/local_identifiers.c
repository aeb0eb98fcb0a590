/*
 * Section 3 of "OCR extensions": create functions are asked for an identifier that is good in this EDT alone. Here it
 * is a GUID, which is good everywhere; a program that takes it for a local one asks for the GUID, and gets it.
 */
// clause: ocr-types.h ocr-map-creator.h
// env: OCR_CHECK=strict
#include "check.h"
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-map-creator.h>

/* Whether it may be used as an identifier, and its GUID. */
static ocrGuid_t guid_of(ocrGuid_t id) {
    ocrGuid_t guid = NULL_GUID;
    CHECK(ocrGetIdType(id) == OCR_ID_LID || ocrGetIdType(id) == OCR_ID_GUID);
    OK(ocrGetGuid(&guid, id));
    CHECK_EQ(ocrGetIdType(guid), OCR_ID_GUID);
    return guid;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 1);
    CHECK_EQ(depc, 2);
    CHECK_EQ(number_in(depv[0]), 5);
    CHECK(ocrGuidIsEq(depv[0].guid, *(ocrGuid_t *)paramv));
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, event, block, range, label;
    ocrGuidUserKind kind;
    u64 *number;
    OK(ocrDbCreate(&block, (void **)&number, sizeof *number, DB_PROP_LID, NULL_HINT, NO_ALLOC));
    *number = 5;
    OK(ocrDbRelease(block));
    block = guid_of(block);
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | EVT_PROP_LID));
    OK(ocrEdtTemplateCreate(&tmpl, ends, 1, 2));
    /* As in the paper: all dependences are added by the EDT that has created the other. */
    OK(ocrEdtCreate(&edt, tmpl, EDT_PARAM_DEF, (u64 *)&block, EDT_PARAM_DEF, NULL, EDT_PROP_LID, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrAddDependence(event, edt, 0, DB_MODE_CONST));
    OK(ocrGetGuidKind(&kind, guid_of(edt)));
    CHECK_EQ(kind, GUID_USER_EDT);
    OK(ocrGetGuidKind(&kind, guid_of(event)));
    CHECK_EQ(kind, GUID_USER_EVENT_STICKY);
    /* With a label, the identifier is the label. */
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_ONCE));
    OK(ocrGuidFromIndex(&label, range, 0));
    OK(ocrGetGuidKind(&kind, label));
    CHECK_EQ(kind, OCR_GUID_NONE);
    ocrGuid_t id = label;
    OK(ocrEventCreate(&id, OCR_EVENT_ONCE_T, EVT_PROP_LID | GUID_PROP_CHECK));
    CHECK(ocrGuidIsEq(id, label) && ocrGuidIsEq(guid_of(id), label));
    OK(ocrAddDependence(label, edt, 1, DB_MODE_NULL));
    OK(ocrEventSatisfy(event, block));
    OK(ocrEventSatisfy(id, NULL_GUID));
    OK(ocrEventDestroy(event));
    OK(ocrGuidMapDestroy(range));
    return NULL_GUID;
}
