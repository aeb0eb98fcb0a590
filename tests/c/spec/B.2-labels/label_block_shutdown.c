/*
 * The program ends while EDTs wait for labels, of an event, a data block, an EDT or a template: their calls return
 * OCR_ECANCELED, and the EDTs come to their ends.
 */
// clause: B.2.3
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { KINDS = 4 };
static const ocrGuidUserKind kinds[KINDS] = {GUID_USER_EVENT_STICKY, GUID_USER_DB, GUID_USER_EDT,
                                             GUID_USER_EDT_TEMPLATE};

static ocrGuid_t s_labels[KINDS], s_template;
static int s_waiting;

static ocrGuid_t never_runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

static u8 create(int kind, ocrGuid_t *guid, u16 properties) {
    void *address;
    switch (kind) {
    case 0: return ocrEventCreate(guid, OCR_EVENT_STICKY_T, properties);
    case 1: return ocrDbCreate(guid, &address, 8, properties, NULL_HINT, NO_ALLOC);
    case 2: return ocrEdtCreate(guid, s_template, 0, NULL, 1, NULL, properties, NULL_HINT, NULL);
    default: return ocrEdtTemplateCreateLabeled(guid, never_runs, 0, 1, properties, NULL);
    }
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const int kind = (int)paramv[0];
    ocrGuid_t guid = s_labels[kind];
    if (__atomic_add_fetch(&s_waiting, 1, __ATOMIC_RELAXED) == KINDS)
        spawn(ends, 0, NULL, 0, NULL);
    for (int i = 0; i < 2; i++) {
        REFUSED(OCR_ECANCELED, create(kind, &guid, GUID_PROP_BLOCK));
        CHECK(ocrGuidIsEq(guid, s_labels[kind]));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_template = template_of(never_runs, 0, 1);
    for (u64 kind = 0; kind < KINDS; kind++) {
        ocrGuid_t range;
        OK(ocrGuidRangeCreate(&range, 1, kinds[kind]));
        OK(ocrGuidFromIndex(&s_labels[kind], range, 0));
        OK(create((int)kind, &s_labels[kind], GUID_PROP_CHECK));
    }
    for (u64 kind = 0; kind < KINDS; kind++)
        spawn(waits, 1, &kind, 0, NULL);
    return NULL_GUID;
}
