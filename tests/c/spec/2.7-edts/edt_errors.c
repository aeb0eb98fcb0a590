/*
 * 2.7.3, 2.8.1: wrong calls on EDTs and dependences: slots out of range, destinations that take no
 * dependence, sources that are none, EDTs that could never be reached. The EDT in the middle of it
 * comes to no harm.
 */
// clause: 2.7.3 2.8.1
// deviates: 2.8.1
// one-node: a call that is sent returns 0, also if it is refused later
#include "check.h"

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 4);
    CHECK(ocrGuidIsNull(depv[1].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(4), event = event_of(OCR_EVENT_STICKY_T), tmpl = template_of(ends, 0, 2), guid;
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL);

    const u32 slots[] = {2, 3, 1000, INT32_MAX, (u32)-1, (u32)-2};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        REFUSED(OCR_EINVAL, ocrAddDependence(block, edt, slots[i], DB_MODE_RO));
        REFUSED(OCR_EINVAL, ocrAddDependence(event, edt, slots[i], DB_MODE_RO));
        REFUSED(OCR_EINVAL, ocrAddDependence(NULL_GUID, edt, slots[i], DB_MODE_NULL));
    }
    /* A data block has no pre-slot, nor has a template. */
    REFUSED(OCR_EPERM, ocrAddDependence(block, block, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependence(event, block, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependence(NULL_GUID, block, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependence(event, tmpl, 0, DB_MODE_RO));
    /* An EDT is no source, its output event is (1.4.2, footnote 3); nor is a template. */
    REFUSED(OCR_EPERM, ocrAddDependence(edt, event, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependence(tmpl, edt, 0, DB_MODE_RO));
    /* Nothing there. */
    const s64 patterns[] = {-1, -2, -77, 4242, INT64_MAX, INT64_MIN, 0x0123456789abcdef};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        ocrGuid_t garbage = {.guid = patterns[i]};
        REFUSED(OCR_EINVAL, ocrAddDependence(garbage, edt, 0, DB_MODE_RO));
        REFUSED(OCR_EINVAL, ocrAddDependence(block, garbage, 0, DB_MODE_RO));
        REFUSED(OCR_EINVAL, ocrAddDependence(garbage, garbage, 0, DB_MODE_RO));
        REFUSED(OCR_EINVAL, ocrEdtDestroy(garbage));
    }
    REFUSED(OCR_EINVAL, ocrAddDependence(block, NULL_GUID, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(event, NULL_GUID, 0, DB_MODE_RO));
    OK(ocrAddDependence(NULL_GUID, NULL_GUID, 0, DB_MODE_RO)); /* programs do this */
    REFUSED(OCR_EINVAL, ocrAddDependence(block, event, 2, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(block, edt, 0, (ocrDbAccessMode_t)77));
    REFUSED(OCR_EINVAL, ocrEdtDestroy(block));
    REFUSED(OCR_EINVAL, ocrEdtDestroy(event));
    REFUSED(OCR_EINVAL, ocrEdtDestroy(tmpl));

    /* Without a name, and with slots that only a name could fill. */
    ocrGuid_t open[] = {UNINITIALIZED_GUID, NULL_GUID};
    REFUSED(OCR_EPERM, ocrEdtCreate(NULL, tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    REFUSED(OCR_EPERM, ocrEdtCreate(NULL, tmpl, 0, NULL, 2, open, EDT_PROP_NONE, NULL_HINT, NULL));
    /* Sources in depv that are none. */
    ocrGuid_t bad[][2] = {{ERROR_GUID, NULL_GUID}, {NULL_GUID, {.guid = 4242}}, {event, tmpl}, {block, edt}};
    for (int i = 0; i < 4; i++) {
        REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, tmpl, 0, NULL, 2, bad[i], EDT_PROP_NONE, NULL_HINT, NULL));
    }
    /* Output events that are none. */
    ocrGuid_t none[] = {NULL_GUID, block, tmpl, edt, {.guid = 4242}};
    for (int i = 0; i < 5; i++) {
        ocrGuid_t output = none[i];
        REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, tmpl, 0, NULL, 2, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &output));
        CHECK(ocrGuidIsEq(output, none[i]));
    }
    OK(ocrEventSatisfy(event, NULL_GUID)); /* no half-made EDT hangs on it */
    OK(ocrEventDestroy(event));
    OK(ocrEdtTemplateDestroy(tmpl));

    /* A slot that is satisfied is taken. */
    link_to(block, edt, 0, DB_MODE_RO);
    REFUSED(OCR_EPERM, ocrAddDependence(block, edt, 0, DB_MODE_RO));
    link_to(NULL_GUID, edt, 1, DB_MODE_RO);
    return NULL_GUID;
}
