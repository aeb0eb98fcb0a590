/*
 * A template on a label: every EDT that knows the label creates EDTs from it, and a second one is refused. A default
 * map is not supported, which its function says.
 */
// clause: ocr-labeling.h
// one-node: templates on labels are for the node of the labels
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { EDTS = 50 };

static ocrGuid_t range, last; /* set before the other EDTs are made */

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    CHECK_EQ(paramc, 2);
    CHECK_EQ(paramv[1], paramv[0] + 1);
    link_to(NULL_GUID, last, (u32)paramv[0], DB_MODE_NULL);
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t tmpl, again;
    OK(ocrGuidFromIndex(&tmpl, range, 2));
    again = tmpl;
    REFUSED(OCR_EGUIDEXISTS, ocrEdtTemplateCreateLabeled(&again, adds, 2, 0, GUID_PROP_CHECK, "adds"));
    edt_of(tmpl, EDT_PARAM_DEF, (u64[]){paramv[0], paramv[0] + 1}, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL);
    return NULL_GUID;
}

static ocrGuid_t map(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)skip, (void)params, (void)tuple;
    return start;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EDT_TEMPLATE));
    OK(ocrGuidFromIndex(&tmpl, range, 2));
    OK(ocrEdtTemplateCreateLabeled(&tmpl, adds, 2, 0, GUID_PROP_IS_LABELED, "adds"));
    REFUSED(OCR_ENOTSUP, ocrGuidMapSetDefaultMap(0, map, NULL, 4, GUID_USER_EDT));
    last = end_after(EDTS);
    for (u64 i = 0; i < EDTS; i++)
        spawn(creates, 1, &i, 0, NULL);
    return NULL_GUID;
}
