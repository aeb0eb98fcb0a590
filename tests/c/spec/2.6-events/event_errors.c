/*
 * 2.6: wrong calls on events are answered with a code, and touch nothing: bad types, nothing to
 * write to, GUIDs that are no event, data that is no block, any bit pattern.
 */
// clause: 2.6.1 2.6.2 2.6.3 2.6.4
// one-node: a call that is sent returns 0, also if it is refused later
#include "check.h"

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++) {
        CHECK_EQ(number_in(depv[i]), 21);
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t wrong_calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t guid, block = ((ocrGuid_t *)paramv)[0], event = ((ocrGuid_t *)paramv)[1];
    ocrGuid_t tmpl = template_of(ends, 0, 3), edt = edt_of(tmpl, 0, NULL, 3, NULL, EDT_PROP_NONE, NULL);
    link_to(event, edt, 0, DB_MODE_RO);

    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, (ocrEventTypes_t)99, EVT_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, (ocrEventTypes_t)0, EVT_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, (ocrEventTypes_t)-1, EVT_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrEventCreate(NULL, OCR_EVENT_ONCE_T, EVT_PROP_NONE));

    ocrGuid_t others[] = {
        block, tmpl, edt, ERROR_GUID, UNINITIALIZED_GUID, {.guid = 12345}, {.guid = INT64_MIN}, {.guid = INT64_MAX}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!ocrGuidIsEq(others[i], edt)) { /* see below */
            REFUSED(OCR_EINVAL, ocrEventSatisfy(others[i], NULL_GUID));
            REFUSED(OCR_EINVAL, ocrEventSatisfySlot(others[i], NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
            REFUSED(OCR_EINVAL, ocrEventSatisfy(others[i], block));
        }
        REFUSED(OCR_EINVAL, ocrEventDestroy(others[i]));
        if (i > 0) {
            REFUSED(OCR_EINVAL, ocrEventSatisfy(event, others[i])); /* data that is no block */
        }
    }
    /* One bit away from a live event, the only one of the program, is no event. */
    for (int bit = 0; bit < 64; bit++) {
        ocrGuid_t near = {.guid = (s64)((u64)event.guid ^ (u64)1 << bit)};
        REFUSED(OCR_EINVAL, ocrEventSatisfy(near, NULL_GUID));
        REFUSED(OCR_EINVAL, ocrEventDestroy(near));
    }
    REFUSED(OCR_EINVAL, ocrEventDestroy(NULL_GUID));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(NULL_GUID, block));
    OK(ocrEventSatisfy(NULL_GUID, NULL_GUID)); /* programs do this */

    /* No harm done: event, block, template and EDT are what they were. */
    OK(ocrEventSatisfy(event, block));
    /* A pre-slot of an EDT may be satisfied as if it were an event's, once. */
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(edt, event, 1));
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(edt, block, 3));
    OK(ocrEventSatisfySlot(edt, block, 1));
    REFUSED(OCR_EPERM, ocrEventSatisfySlot(edt, block, 1));
    link_to(event, edt, 2, DB_MODE_RO);
    REFUSED(OCR_EPERM, ocrEventSatisfy(event, block));
    OK(ocrEventDestroy(event));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t args[] = {block_with(21), event_of(OCR_EVENT_STICKY_T)};
    spawn(wrong_calls, 2, (u64 *)args, 0, NULL);
    return NULL_GUID;
}
