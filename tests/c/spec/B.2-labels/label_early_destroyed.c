/*
 * What a call names that waits for a labeled GUID is destroyed before that gets its object: the call does what it
 * would have done if it had not had to wait. A dependence counts for its event, though its EDT is gone; an event and
 * a pre-slot are satisfied, though the block, which no EDT acquires, is gone.
 */
// clause: B.2.3
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { COUNTED, CHANNEL, STICKY, LABELS, NULL_EDT = LABELS, SLOTS };

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT that was destroyed has run");
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[COUNTED]), 7);
    /* The first was for the EDT that is no more. */
    CHECK_EQ(number_in(depv[CHANNEL]), 9);
    /* It has served both its dependences, and is gone. */
    REFUSED(OCR_EINVAL, ocrEventDestroy((ocrGuid_t){(s64)paramv[COUNTED]}));
    OK(ocrEventDestroy((ocrGuid_t){(s64)paramv[CHANNEL]}));
    OK(ocrEventDestroy((ocrGuid_t){(s64)paramv[STICKY]}));
    CHECK(depv[STICKY].ptr == NULL);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t labeled(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(depv[0].ptr == NULL);
    return NULL_GUID;
}

/* An event is satisfied with a block, and an EDT has it in a pre-slot, before they are created and after it is
 * destroyed. The EDT goes on with what comes after it. */
static void with_a_block_that_goes(ocrGuid_t sticky, ocrGuid_t after, u32 slot) {
    ocrGuid_t range, edt, output, block = block_with(6);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&edt, range, 0));
    OK(ocrEventSatisfy(sticky, block));
    OK(ocrAddDependence(block, edt, 0, DB_MODE_NULL));
    OK(ocrDbDestroy(block));
    OK(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK));
    ocrGuid_t template = template_of(labeled, 0, 2);
    OK(ocrEdtCreate(&edt, template, 0, NULL, 2, NULL, EDT_PROP_NONE | GUID_PROP_CHECK, NULL_HINT, &output));
    OK(ocrEdtTemplateDestroy(template));
    link_to(output, after, slot, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, labels[LABELS];
    u64 params[LABELS];
    OK(ocrGuidRangeCreate(&range, LABELS, GUID_USER_EVENT_STICKY));
    for (u32 at = 0; at < LABELS; at++) {
        OK(ocrGuidFromIndex(&labels[at], range, at));
        params[at] = (u64)labels[at].guid;
    }
    ocrGuid_t doomed = spawn(never, 0, NULL, STICKY, NULL);
    for (u32 at = 0; at < STICKY; at++)
        link_to(labels[at], doomed, at, DB_MODE_RO);
    OK(ocrEdtDestroy(doomed));
    ocrGuid_t edt = spawn(last, LABELS, params, SLOTS, NULL);
    for (u32 at = 0; at < LABELS; at++)
        link_to(labels[at], edt, at, at == STICKY ? DB_MODE_NULL : DB_MODE_RO);
    with_a_block_that_goes(labels[STICKY], edt, NULL_EDT);

    ocrEventParams_t counted = {.EVENT_COUNTED = {.nbDeps = 2}};
    OK(ocrEventCreateParams(&labels[COUNTED], OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &counted));
    ocrEventParams_t channel = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    OK(ocrEventCreateParams(&labels[CHANNEL], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK, &channel));
    OK(ocrEventSatisfy(labels[CHANNEL], block_with(8)));
    OK(ocrEventSatisfy(labels[CHANNEL], block_with(9)));
    OK(ocrEventSatisfy(labels[COUNTED], block_with(7)));
    return NULL_GUID;
}
