/*
 * 2.4: the functions of GUIDs are symbols of the library, too, for what does not read the header. They answer what the
 * inline functions of the header do.
 */
// clause: 2.4
// deviates: 2.4
#include "check.h"

/* The header has declared functions of these names that no other file sees, so the symbols get others here. */
extern bool symbol_is_null(ocrGuid_t guid) __asm__("ocrGuidIsNull");
extern bool symbol_is_uninitialized(ocrGuid_t guid) __asm__("ocrGuidIsUninitialized");
extern bool symbol_is_error(ocrGuid_t guid) __asm__("ocrGuidIsError");
extern bool symbol_is_eq(ocrGuid_t guid1, ocrGuid_t guid2) __asm__("ocrGuidIsEq");
extern bool symbol_is_lt(ocrGuid_t guid1, ocrGuid_t guid2) __asm__("ocrGuidIsLt");

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const ocrGuid_t guids[] = {NULL_GUID,    UNINITIALIZED_GUID,         ERROR_GUID,
                               depv[0].guid, event_of(OCR_EVENT_ONCE_T), {.guid = 1},
                               {.guid = -3}, {.guid = INT64_MIN},        {.guid = INT64_MAX}};
    enum { COUNT = sizeof guids / sizeof *guids };
    for (int i = 0; i < COUNT; i++) {
        CHECK_EQ(symbol_is_null(guids[i]), i == 0);
        CHECK_EQ(symbol_is_uninitialized(guids[i]), i == 1);
        CHECK_EQ(symbol_is_error(guids[i]), i == 2);
        CHECK_EQ(symbol_is_null(guids[i]), ocrGuidIsNull(guids[i]));
        CHECK_EQ(symbol_is_uninitialized(guids[i]), ocrGuidIsUninitialized(guids[i]));
        CHECK_EQ(symbol_is_error(guids[i]), ocrGuidIsError(guids[i]));
        for (int j = 0; j < COUNT; j++) {
            CHECK_EQ(symbol_is_eq(guids[i], guids[j]), i == j);
            CHECK_EQ(symbol_is_eq(guids[i], guids[j]), ocrGuidIsEq(guids[i], guids[j]));
            CHECK_EQ(symbol_is_lt(guids[i], guids[j]), ocrGuidIsLt(guids[i], guids[j]));
            CHECK_EQ(symbol_is_lt(guids[i], guids[j]) + symbol_is_lt(guids[j], guids[i]), i != j);
        }
    }
    ocrShutdown();
    return NULL_GUID;
}
