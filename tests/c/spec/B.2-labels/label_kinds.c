/*
 * A label is of one kind: the create functions of the others refuse it (OCR 1.1.0, B.2), also where the labels of two
 * ranges differ in nothing but the kind, as those of first ranges do.
 */
// clause: B.2.2 B.2.3
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { LABELS = 300, KINDS = 4 };

static const ocrGuidUserKind kinds[KINDS] = {GUID_USER_EVENT_STICKY, GUID_USER_EDT, GUID_USER_DB,
                                             GUID_USER_EDT_TEMPLATE};

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT runs that has to wait");
    return NULL_GUID;
}

/* Creates an object of a kind on a label. */
static u8 create(int kind, ocrGuid_t label, ocrGuid_t tmpl) {
    ocrGuid_t guid = label;
    void *addr;
    u8 status;
    switch (kind) {
    case 0: status = ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK); break;
    case 1: status = ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, GUID_PROP_CHECK, NULL_HINT, NULL); break;
    case 2: status = ocrDbCreate(&guid, &addr, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC); break;
    default: status = ocrEdtTemplateCreateLabeled(&guid, never, 0, 1, GUID_PROP_CHECK, "never"); break;
    }
    CHECK(ocrGuidIsEq(guid, label));
    return status;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t ranges[KINDS], tmpl = template_of(never, 0, 1);
    for (int kind = 0; kind < KINDS; kind++) {
        OK(ocrGuidRangeCreate(&ranges[kind], LABELS, kinds[kind]));
    }
    for (int of = 0; of < KINDS; of++) {
        for (u64 at = 0; at < LABELS; at++) {
            ocrGuid_t label;
            OK(ocrGuidFromIndex(&label, ranges[of], at));
            for (int kind = 0; kind < KINDS; kind++) {
                if (kind != of) {
                    REFUSED(OCR_EINVAL, create(kind, label, tmpl));
                }
            }
        }
    }
    /* Nothing was made anywhere. */
    for (int of = 0; of < KINDS; of++) {
        for (u64 at = 0; at < LABELS; at++) {
            ocrGuid_t label;
            OK(ocrGuidFromIndex(&label, ranges[of], at));
            OK(create(of, label, tmpl));
        }
    }
    ocrShutdown();
    return NULL_GUID;
}
