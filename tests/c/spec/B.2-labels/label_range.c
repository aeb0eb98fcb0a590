/*
 * Ranges and maps of labeled GUIDs: contiguous, the same for everybody who asks, destroyed, and large without taking
 * memory.
 */
// clause: B.2.2.1 B.2.2.2 B.2.2.3 B.2.2.4 B.2.2.5
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { MANY = 1 << 20 };

/* start + (a * 10 + b) * skip, in the numbers of the map: params are {width, calls}. */
static ocrGuid_t tuple_to_guid(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    return addValueToGuid(start, (u64)(tuple[0] * params[0] + tuple[1]) * skip);
}

static ocrGuid_t first_to_guid(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    CHECK(params == NULL);
    return addValueToGuid(start, (u64)tuple[0] * skip);
}

static ocrGuid_t elsewhere(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)skip, (void)params, (void)tuple;
    return addValueToGuid(start, 1000000);
}

static void ranges(void) {
    static const ocrGuidUserKind kinds[] = {
        GUID_USER_DB,          GUID_USER_EDT,          GUID_USER_EDT_TEMPLATE,   GUID_USER_EVENT_ONCE,
        GUID_USER_EVENT_IDEM,  GUID_USER_EVENT_STICKY, GUID_USER_EVENT_LATCH,    GUID_USER_EVENT_COUNTED,
        GUID_USER_EVENT_CHANNEL, GUID_USER_EVENT_COLLECTIVE,
    };
    ocrGuid_t seen[10][20];
    for (int k = 0; k < 10; k++) {
        ocrGuid_t range, guid;
        OK(ocrGuidRangeCreate(&range, 20, kinds[k]));
        for (u64 i = 0; i < 20; i++) {
            OK(ocrGuidFromIndex(&seen[k][i], range, i));
            OK(ocrGuidFromIndex(&guid, range, i));
            CHECK(ocrGuidIsEq(guid, seen[k][i]));
            CHECK(guid.guid > 0);
            CHECK(ocrGuidIsEq(guid, addValueToGuid(seen[k][0], i)));
            for (int other = 0; other <= k; other++)
                for (u64 j = 0; j < (other == k ? i : 20); j++)
                    CHECK(!ocrGuidIsEq(guid, seen[other][j]));
            ocrGuidUserKind kind = GUID_USER_DB;
            OK(ocrGetGuidKind(&kind, guid));
            CHECK_EQ(kind, GUID_USER_NONE);
        }
        guid = NULL_GUID;
        REFUSED(OCR_EINVAL, ocrGuidFromIndex(&guid, range, 20));
        REFUSED(OCR_EINVAL, ocrGuidFromIndex(&guid, range, (u64)-1));
        REFUSED(OCR_EINVAL, ocrGuidFromIndex(NULL, range, 0));
        s64 tuple[2] = {0, 0};
        REFUSED(OCR_EINVAL, ocrGuidFromLabel(&guid, range, tuple));
        CHECK(ocrGuidIsNull(guid));
        OK(ocrGuidMapDestroy(range));
        REFUSED(OCR_EINVAL, ocrGuidMapDestroy(range));
        REFUSED(OCR_EINVAL, ocrGuidFromIndex(&guid, range, 0));
    }
}

static void maps(void) {
    ocrGuid_t map, guid, first, plain;
    s64 params[1] = {10}, tuple[2];
    OK(ocrGuidMapCreate(&map, 1, tuple_to_guid, params, 50, GUID_USER_EVENT_STICKY));
    params[0] = 77; /* they were copied */
    tuple[0] = tuple[1] = 0;
    OK(ocrGuidFromLabel(&first, map, tuple));
    for (tuple[0] = 0; tuple[0] < 5; tuple[0]++) {
        for (tuple[1] = 0; tuple[1] < 10; tuple[1]++) {
            OK(ocrGuidFromLabel(&guid, map, tuple));
            CHECK(ocrGuidIsEq(guid, addValueToGuid(first, (u64)(tuple[0] * 10 + tuple[1]))));
        }
    }
    guid = NULL_GUID;
    REFUSED(OCR_EINVAL, ocrGuidFromLabel(&guid, map, tuple)); /* 5 * 10 + 10: outside */
    REFUSED(OCR_EINVAL, ocrGuidFromIndex(&guid, map, 0));
    REFUSED(OCR_EINVAL, ocrGuidFromLabel(NULL, map, tuple));
    REFUSED(OCR_EINVAL, ocrGuidFromLabel(&guid, map, NULL));
    CHECK(ocrGuidIsNull(guid));
    OK(ocrGuidMapDestroy(map));
    tuple[0] = tuple[1] = 0;
    REFUSED(OCR_EINVAL, ocrGuidFromLabel(&guid, map, tuple));

    OK(ocrGuidMapCreate(&plain, 0, first_to_guid, NULL, 3, GUID_USER_DB));
    tuple[0] = 2;
    OK(ocrGuidFromLabel(&guid, plain, tuple));
    OK(ocrGuidMapDestroy(plain));
    OK(ocrGuidMapCreate(&plain, 0, elsewhere, NULL, 3, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidFromLabel(&guid, plain, tuple));
    OK(ocrGuidMapDestroy(plain));

    REFUSED(OCR_EINVAL, ocrGuidMapCreate(&map, 0, first_to_guid, NULL, 0, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidMapCreate(&map, 0, first_to_guid, NULL, 1, (ocrGuidUserKind)5));
    REFUSED(OCR_ENOMEM, ocrGuidMapCreate(&map, 0, first_to_guid, NULL, (u64)1 << 40, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidMapCreate(&map, 1, tuple_to_guid, NULL, 5, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidMapCreate(&map, 1, NULL, params, 5, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidMapCreate(NULL, 1, tuple_to_guid, params, 5, GUID_USER_DB));
    REFUSED(OCR_ENOTSUP, ocrGuidMapSetDefaultMap(1, tuple_to_guid, params, 5, GUID_USER_DB));
}

static void errors(void) {
    ocrGuid_t range;
    REFUSED(OCR_EINVAL, ocrGuidRangeCreate(NULL, 1, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidRangeCreate(&range, 0, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidRangeCreate(&range, 1, GUID_USER_NONE));
    REFUSED(OCR_EINVAL, ocrGuidRangeCreate(&range, 1, (ocrGuidUserKind)5));
    REFUSED(OCR_ENOMEM, ocrGuidRangeCreate(&range, (u64)1 << 40, GUID_USER_EVENT_STICKY));
    REFUSED(OCR_ENOMEM, ocrGuidRangeCreate(&range, (u64)-1, GUID_USER_DB));
    REFUSED(OCR_EINVAL, ocrGuidMapDestroy(NULL_GUID));
    REFUSED(OCR_EINVAL, ocrGuidMapDestroy(ERROR_GUID));
    REFUSED(OCR_EINVAL, ocrGuidFromIndex(&range, event_of(OCR_EVENT_STICKY_T), 0));
    REFUSED(OCR_EINVAL, ocrGetGuidKind(NULL, NULL_GUID));
    ocrGuidUserKind kind = GUID_USER_DB;
    OK(ocrGetGuidKind(&kind, UNINITIALIZED_GUID));
    CHECK_EQ(kind, GUID_USER_NONE);
    /* A GUID that is no label cannot be created on. */
    ocrGuid_t wrong[] = {NULL_GUID, ERROR_GUID, UNINITIALIZED_GUID, event_of(OCR_EVENT_STICKY_T), block_with(1),
                         {12345}};
    for (int i = 0; i < 6; i++) {
        ocrGuid_t guid = wrong[i];
        u8 code = ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK);
        CHECK(code == OCR_EINVAL || (i == 3 && code == OCR_EGUIDEXISTS));
        code = ocrDbCreate(&guid, NULL, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC);
        CHECK(code == OCR_EINVAL || (i == 4 && code == OCR_EGUIDEXISTS));
        CHECK(ocrGuidIsEq(guid, wrong[i]));
    }
}

static void large(void) {
    u64 before = resident_kib();
    ocrGuid_t range, guid;
    OK(ocrGuidRangeCreate(&range, MANY, GUID_USER_EVENT_STICKY));
    for (u64 i = 0; i < MANY; i += MANY / 16) {
        OK(ocrGuidFromIndex(&guid, range, i));
        OK(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    }
    OK(ocrGuidFromIndex(&guid, range, MANY - 1));
    OK(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED));
    CHECK(grown_less(before, 4096));
}

static void again_and_again(void) {
    u64 before = 0;
    u64 rounds = scaled(20000);
    for (u64 round = 0; round < rounds; round++) {
        if (round == rounds / 10)
            before = resident_kib();
        ocrGuid_t range, guid;
        OK(ocrGuidRangeCreate(&range, 1000, GUID_USER_EVENT_ONCE));
        OK(ocrGuidFromIndex(&guid, range, round % 1000));
        OK(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, GUID_PROP_CHECK));
        OK(ocrEventSatisfy(guid, NULL_GUID));
        OK(ocrGuidMapDestroy(range));
        REFUSED(OCR_EINVAL, ocrEventCreate(&guid, OCR_EVENT_ONCE_T, GUID_PROP_CHECK));
    }
    CHECK(grown_less(before, 2048));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ranges();
    maps();
    errors();
    large();
    again_and_again();
    ocrShutdown();
    return NULL_GUID;
}
