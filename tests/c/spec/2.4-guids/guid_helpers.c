/* 2.4: the GUID tests, the three special values, static initialisers, order, printing. */
// clause: 2.4 ocr-guid-functions.h 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6
// deviates: 2.4.6
// stdout: guid 0x0 null
// stdout-lines: 1 special 0x0 0xffffffffffffffff 0xfffffffffffffffe
#include "check.h"

static ocrGuid_t s_null = NULL_GUID_INITIALIZER;
static ocrGuid_t s_unset = UNINITIALIZED_GUID_INITIALIZER;
static ocrGuid_t s_error = ERROR_GUID_INITIALIZER;

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(ocrGuidIsNull(NULL_GUID) && ocrGuidIsNull(s_null) && !ocrGuidIsNull(s_unset) && !ocrGuidIsNull(s_error));
    CHECK(ocrGuidIsUninitialized(UNINITIALIZED_GUID) && ocrGuidIsUninitialized(s_unset));
    CHECK(!ocrGuidIsUninitialized(s_null) && !ocrGuidIsUninitialized(s_error));
    CHECK(ocrGuidIsError(ERROR_GUID) && ocrGuidIsError(s_error) && !ocrGuidIsError(s_null) && !ocrGuidIsError(s_unset));
    CHECK(ocrGuidIsEq(s_null, NULL_GUID) && !ocrGuidIsEq(s_null, s_error) && !ocrGuidIsEq(s_error, s_unset));
    CHECK(IS_GUID_NULL(s_null) && IS_GUID_EQUAL(s_error, ERROR_GUID) && IS_GUID_ERROR(s_error));
    CHECK(IS_GUID_UNINITIALIZED(s_unset) && !IS_GUID_LESS_THAN(s_null, s_null));

    /* Live objects: distinct, none of them special, in a strict total order. */
    enum { N = 60 };
    ocrGuid_t guids[N];
    void *addr;
    for (int i = 0; i < N; i++) {
        guids[i] = i % 3 == 0   ? block_of(8, &addr)
                   : i % 3 == 1 ? event_of(OCR_EVENT_STICKY_T)
                                : template_of(end_edt, 0, 1);
    }
    for (int i = 0; i < N; i++) {
        CHECK(!ocrGuidIsNull(guids[i]) && !ocrGuidIsUninitialized(guids[i]) && !ocrGuidIsError(guids[i]));
        for (int j = 0; j < N; j++) {
            CHECK_EQ(ocrGuidIsEq(guids[i], guids[j]), i == j);
            CHECK_EQ(ocrGuidIsLt(guids[i], guids[j]) + ocrGuidIsLt(guids[j], guids[i]), i != j);
        }
    }
    /* A GUID fits in a parameter, there and back (api: one 64-bit member). */
    CHECK_EQ(sizeof(ocrGuid_t), sizeof(u64));
    u64 word = *(u64 *)&guids[7];
    ocrGuid_t back = *(ocrGuid_t *)&word;
    CHECK(ocrGuidIsEq(back, guids[7]));
    CHECK(ocrGuidIsEq((ocrGuid_t){.guid = guids[7].guid}, guids[7]));

    ocrPrintf("guid " GUIDF " null\n", GUIDA(NULL_GUID));
    ocrPrintf("special " GUIDF " " GUIDF " " GUIDF "\n", GUIDA(s_null), GUIDA(s_error), GUIDA(s_unset));
    char text[32];
    snprintf(text, sizeof text, GUIDF, GUIDA(guids[0]));
    CHECK(ocrGuidIsEq((ocrGuid_t){.guid = (s64)strtoull(text, NULL, 16)}, guids[0]));
    ocrShutdown();
    return NULL_GUID;
}
