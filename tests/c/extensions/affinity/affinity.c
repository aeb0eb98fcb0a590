/*
 * Places: one machine is one policy domain, where everything is; hints with its affinity change nothing.
 */
// clause: ocr-affinity.h
// env: OCR_DEVICES=none
// one-node: it expects one node
#include "check.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-map-creator.h>
#include <extensions/ocr-runtime-itf.h>

static ocrGuid_t s_here;

static void is_here(ocrGuid_t object) {
    u64 count = 5;
    ocrGuid_t places[5] = {{1}, {2}, {3}, {4}, {5}};
    OK(ocrAffinityQuery(object, &count, places));
    CHECK_EQ(count, 1);
    CHECK(ocrGuidIsEq(places[0], s_here));
    CHECK_EQ(places[1].guid, 2);
}

static void no_creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count;
    ocrGuid_t guid, places[4];
    OK(ocrAffinityGetCurrent(&s_here));
    CHECK(!ocrGuidIsNull(s_here));
    static const ocrAffinityKind kinds[] = {AFFINITY_CURRENT, AFFINITY_PD, AFFINITY_PD_MASTER, AFFINITY_SIM,
                                            AFFINITY_GUID};
    for (int i = 0; i < 5; i++) {
        OK(ocrAffinityCount(kinds[i], &count));
        CHECK_EQ(count, 1);
        count = 4;
        OK(ocrAffinityGet(kinds[i], &count, places));
        CHECK_EQ(count, 1);
        CHECK(ocrGuidIsEq(places[0], s_here));
        count = 0;
        OK(ocrAffinityGet(kinds[i], &count, places));
        CHECK_EQ(count, 0);
        OK(ocrAffinityGetAt(kinds[i], 0, &guid));
        CHECK(ocrGuidIsEq(guid, s_here));
        REFUSED(OCR_EINVAL, ocrAffinityGetAt(kinds[i], 1, &guid));
        REFUSED(OCR_EINVAL, ocrAffinityGetAt(kinds[i], 0, NULL));
        REFUSED(OCR_EINVAL, ocrAffinityCount(kinds[i], NULL));
        REFUSED(OCR_EINVAL, ocrAffinityGet(kinds[i], NULL, places));
        REFUSED(OCR_EINVAL, ocrAffinityGet(kinds[i], &count, NULL));
    }
    /* There are none. */
    OK(ocrAffinityCount(AFFINITY_OCL, &count));
    CHECK_EQ(count, 0);
    REFUSED(OCR_EINVAL, ocrAffinityGetAt(AFFINITY_OCL, 0, &guid));
    REFUSED(OCR_EINVAL, ocrAffinityCount((ocrAffinityKind)6, &count));
    count = 4;
    REFUSED(OCR_EINVAL, ocrAffinityGet((ocrAffinityKind)6, &count, places));
    CHECK_EQ(count, 4);
    REFUSED(OCR_EINVAL, ocrAffinityGetAt((ocrAffinityKind)6, 0, &guid));
    REFUSED(OCR_EINVAL, ocrAffinityGetCurrent(NULL));

    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), block = block_with(1), tmpl = template_of(ends, 0, 1), range, map;
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
    is_here(NULL_GUID);
    is_here(event);
    is_here(block);
    is_here(tmpl);
    is_here(edt);
    is_here(range);
    OK(ocrMapCreate(&map, 1, no_creator, 0, NULL, 0, NULL));
    is_here(map);
    OK(ocrMapDestroy(map));
    REFUSED(OCR_EINVAL, ocrAffinityQuery(map, &count, places));
    is_here(s_here);
    OK(ocrAffinityQuery(block, NULL, places));
    OK(ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrAffinityQuery(event, &count, places));
    REFUSED(OCR_EINVAL, ocrAffinityQuery(ERROR_GUID, &count, places));
    REFUSED(OCR_EINVAL, ocrAffinityQuery(addValueToGuid(s_here, 1), &count, places));
    REFUSED(OCR_EINVAL, ocrAffinityQuery(block, &count, NULL));

    CHECK_EQ(ocrAffinityToHintValue(NULL_GUID), 0);
    CHECK(ocrAffinityToHintValue(s_here) != 0);
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_DB_AFFINITY, ocrAffinityToHintValue(s_here)));
    OK(ocrDbCreate(&guid, NULL, 8, DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC));
    is_here(guid);
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(s_here)));
    ocrGuid_t output;
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &hint, NULL));
    /* No affinity, as a value. */
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(NULL_GUID)));
    OK(ocrEdtCreate(&guid, template_of(nothing, 0, 1), 0, NULL, 1, NULL, EDT_PROP_NONE, &hint, &output));
    link_to(output, edt, 0, DB_MODE_NULL);
    link_to(NULL_GUID, guid, 0, DB_MODE_NULL);
    return NULL_GUID;
}
