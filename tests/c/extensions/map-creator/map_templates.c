/* A map whose objects are EDT templates: one each, whoever asks, made anew after it was destroyed. */
// clause: ocr-map-creator.h
// revisions: plain strict
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-map-creator.h>
#include <stdatomic.h>

enum { SIZE = 20, ASKERS = 8 };

static atomic_int created, ran[SIZE];
static ocrGuid_t map;

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ran[paramv[0]]++;
    return NULL_GUID;
}

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    created++;
    ocrGuid_t copy = lid;
    if (!is_strict()) {
        REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&copy, counts, 1, 0, 0, "counts"));
        REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&copy, counts, 1, 0, GUID_PROP_CHECK, "counts"));
    }
    if (index % 5 == 0)
        breathe();
    OK(ocrEdtTemplateCreateLabeled(&lid, counts, 1, 0, EDT_PROP_MAPPED, "counts"));
    if (!is_strict())
        REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&copy, counts, 1, 0, EDT_PROP_MAPPED, "counts"));
    ocrGuidUserKind kind;
    OK(ocrGetGuidKind(&kind, lid));
    CHECK_EQ(kind, GUID_USER_EDT_TEMPLATE);
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < SIZE; i++) {
        ocrGuid_t tmpl;
        OK(ocrMapGet(&tmpl, map, i));
        edt_of(tmpl, 1, &i, 0, NULL, EDT_PROP_NONE, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < ASKERS; i++)
        spawn(asks, 0, NULL, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(created, SIZE);
    for (int i = 0; i < SIZE; i++)
        CHECK_EQ(ran[i], ASKERS);
    ocrGuid_t before, after;
    OK(ocrMapGet(&before, map, 3));
    OK(ocrEdtTemplateDestroy(before));
    OK(ocrMapGet(&after, map, 3));
    CHECK(!ocrGuidIsEq(before, after));
    CHECK_EQ(created, SIZE + 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrMapCreate(&map, SIZE, creator, 0, NULL, 0, NULL));
    ocrGuid_t output, hold = event_of(OCR_EVENT_ONCE_T);
    spawn_with(all, 0, NULL, 1, &hold, EDT_PROP_FINISH, &output);
    spawn(ends, 0, NULL, 1, &output);
    OK(ocrEventSatisfy(hold, NULL_GUID));
    return NULL_GUID;
}
