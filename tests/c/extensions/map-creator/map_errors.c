/* Wrong calls of maps, creators that create nothing, and creators that wait for each other. */
// clause: ocr-map-creator.h
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-map-creator.h>
#include <stdatomic.h>

static ocrGuid_t map, event, some_template;

static void wrong_creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)guidc, (void)guidv;
    ocrGuid_t out = lid, none = NULL_GUID;
    switch (index) {
    case 0: /* nothing is created */
        break;
    case 1: /* not for the map */
        OK(ocrEventCreate(&lid, OCR_EVENT_ONCE_T, EVT_PROP_NONE));
        OK(ocrEventDestroy(lid));
        break;
    case 2: /* with another identifier */
        REFUSED(OCR_EINVAL, ocrEventCreate(&none, OCR_EVENT_ONCE_T, EVT_PROP_MAPPED));
        REFUSED(OCR_EINVAL, ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_MAPPED));
        CHECK(ocrGuidIsNull(none));
        break;
    case 3: /* in vain */
        REFUSED(OCR_ENOMEM, ocrDbCreate(&lid, NULL, (u64)1 << 60, DB_PROP_MAPPED, NULL_HINT, NO_ALLOC));
        CHECK(ocrGuidIsEq(lid, out));
        break;
    case 4: /* of itself */
        REFUSED(OCR_EPEND, ocrMapGet(&out, map, 4));
        CHECK(ocrGuidIsEq(lid, out));
        break;
    case 5: /* of another, which is of this one */
        REFUSED(OCR_ENOENT, ocrMapGet(&out, map, 6));
        break;
    case 6:
        REFUSED(OCR_EPEND, ocrMapGet(&out, map, 5));
        break;
    case 7: /* the first time nothing, then at the second attempt, and then of itself */
        if (paramv[0]++ == 0)
            break;
        REFUSED(OCR_EINVAL,
                ocrEdtCreate(&lid, some_template, EDT_PARAM_UNK, NULL, 1, NULL, EDT_PROP_MAPPED, NULL_HINT, NULL));
        CHECK(ocrGuidIsEq(lid, out));
        OK(ocrEdtCreate(&lid, some_template, 0, NULL, 1, NULL, EDT_PROP_MAPPED, NULL_HINT, NULL));
        OK(ocrMapGet(&out, map, 7));
        CHECK(ocrGuidIsEq(lid, out));
        break;
    default:
        CHECK(!"an index that the map does not have");
    }
}

/* Of two indices each one's creator asks for the other first. One of the calls at least is refused, and the
 * creator that made it creates its object all the same. */
static atomic_int refused;
static ocrGuid_t circle;

static void circle_creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    ocrGuid_t other;
    for (int i = 0; i < 3; i++)
        breathe();
    u8 code = ocrMapGet(&other, circle, index ^ 1);
    CHECK(code == 0 || code == OCR_EPEND);
    if (code != 0)
        atomic_fetch_add(&refused, 1);
    OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED));
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t out;
    OK(ocrMapGet(&out, circle, paramv[0]));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(refused, 8);
    for (u64 i = 0; i < 16; i++) {
        ocrGuid_t made;
        OK(ocrMapGet(&made, circle, i));
        OK(ocrEventDestroy(made));
    }
    OK(ocrMapDestroy(circle));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t out = NULL_GUID;
    u64 number = 0;
    event = event_of(OCR_EVENT_STICKY_T);
    some_template = template_of(end_edt, 0, 1);
    map = NULL_GUID;
    REFUSED(OCR_EINVAL, ocrMapCreate(NULL, 1, wrong_creator, 0, NULL, 0, NULL));
    REFUSED(OCR_EINVAL, ocrMapCreate(&map, 0, wrong_creator, 0, NULL, 0, NULL));
    REFUSED(OCR_EINVAL, ocrMapCreate(&map, 1, NULL, 0, NULL, 0, NULL));
    REFUSED(OCR_EINVAL, ocrMapCreate(&map, 1, wrong_creator, 1, NULL, 0, NULL));
    REFUSED(OCR_EINVAL, ocrMapCreate(&map, 1, wrong_creator, 1, &number, 1, NULL));
    REFUSED(OCR_ENOMEM, ocrMapCreate(&map, (u64)1 << 60, wrong_creator, 0, NULL, 0, NULL));
    REFUSED(OCR_ENOMEM, ocrMapCreate(&map, ~(u64)0, wrong_creator, 0, NULL, 0, NULL));
    CHECK(ocrGuidIsNull(map));
    REFUSED(OCR_EINVAL, ocrMapGet(&out, event, 0));
    REFUSED(OCR_EINVAL, ocrMapDestroy(event));
    REFUSED(OCR_EINVAL, ocrMapGet(&out, NULL_GUID, 0));
    REFUSED(OCR_EINVAL, ocrMapDestroy(ERROR_GUID));
    CHECK(ocrGuidIsNull(out));

    /* The properties are for creators. */
    ocrGuid_t guid = event;
    REFUSED(OCR_EINVAL, ocrEventCreate(&guid, OCR_EVENT_ONCE_T, EVT_PROP_MAPPED));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, some_template, 0, NULL, 1, NULL, EDT_PROP_MAPPED, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrEdtCreate(NULL, some_template, 0, NULL, 1, &event, EDT_PROP_MAPPED, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrDbCreate(&guid, NULL, 8, DB_PROP_MAPPED, NULL_HINT, NO_ALLOC));
    CHECK(ocrGuidIsEq(guid, event));

    CHECK_EQ(ocrGetIdType(event), OCR_ID_GUID);
    CHECK_EQ(ocrGetIdType(NULL_GUID), OCR_ID_GUID);
    CHECK_EQ(ocrGetIdType(ERROR_GUID), OCR_ID_UNK);
    CHECK_EQ(ocrGetIdType(UNINITIALIZED_GUID), OCR_ID_UNK);
    OK(ocrGetGuid(&out, event));
    CHECK(ocrGuidIsEq(out, event));
    REFUSED(OCR_EINVAL, ocrGetGuid(NULL, event));
    REFUSED(OCR_EINVAL, ocrGetGuid(&out, ERROR_GUID));
    CHECK(ocrGuidIsEq(out, event));

    OK(ocrMapCreate(&map, 8, wrong_creator, 1, &number, 0, NULL));
    REFUSED(OCR_EINVAL, ocrMapGet(NULL, map, 0));
    REFUSED(OCR_EINVAL, ocrMapGet(&out, map, 8));
    for (u64 i = 0; i < 6; i++)
        REFUSED(i == 3 ? OCR_ENOMEM : OCR_ENOENT, ocrMapGet(&out, map, i));
    REFUSED(OCR_ENOENT, ocrMapGet(&out, map, 7));
    CHECK(ocrGuidIsEq(out, event));
    OK(ocrMapGet(&out, map, 7));
    CHECK_EQ(number, 0); /* the creator writes to the map's own copy */
    OK(ocrEdtDestroy(out));
    guid = out;
    REFUSED(OCR_EINVAL, ocrEdtDestroy(guid));
    OK(ocrMapGet(&out, map, 7)); /* it is created again */
    CHECK(!ocrGuidIsEq(out, guid));
    OK(ocrEdtDestroy(out));
    OK(ocrMapDestroy(map));
    OK(ocrEventDestroy(event));
    OK(ocrEdtTemplateDestroy(some_template));

    OK(ocrMapCreate(&circle, 16, circle_creator, 0, NULL, 0, NULL));
    ocrGuid_t last = spawn(ends, 0, NULL, 16, NULL), done;
    for (u64 i = 0; i < 16; i++) {
        ocrGuid_t edt = spawn_with(asks, 1, &i, 1, NULL, EDT_PROP_NONE, &done);
        link_to(done, last, (u32)i, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}
