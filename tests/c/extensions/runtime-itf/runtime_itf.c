/*
 * ocr-runtime-itf.h: what an EDT can ask about itself: its GUID and its output event as its creator knows them, in
 * EDTs of all kinds and sizes, and storage of its own, which begins empty and stays while it waits in a call. Outside
 * of EDTs there is nothing to ask about.
 */
// clause: ocr-runtime-itf.h
#include "check.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>

enum { EDTS = 200, WIDE = 100 };

typedef struct {
    ocrGuid_t edt, output;
    u64 waits; /* whether it waits in a call meanwhile */
} told_t;

static ocrGuid_t number(u64 value) { return (ocrGuid_t){(s64)value}; }

static void storage_is_empty(void) {
    for (u8 at = 0; at < ELS_USER_SIZE; at++) {
        CHECK(ocrGuidIsNull(ocrElsUserGet(at)));
    }
}

static void fill_storage(u64 value) {
    ocrGuid_t *slots;
    u64 size;
    for (u8 at = 0; at < ELS_USER_SIZE; at++) {
        ocrElsUserSet(at, number(value + at));
    }
    ocrElsUserSet(ELS_USER_SIZE, ERROR_GUID); /* there is none */
    ocrElsUserSet(255, ERROR_GUID);
    CHECK(ocrGuidIsError(ocrElsUserGet(ELS_USER_SIZE)) && ocrGuidIsError(ocrElsUserGet(255)));
    REFUSED(OCR_EINVAL, ocrEdtLocalStorageGet(NULL, &size));
    REFUSED(OCR_EINVAL, ocrEdtLocalStorageGet((void **)&slots, NULL));
    OK(ocrEdtLocalStorageGet((void **)&slots, &size));
    CHECK_EQ(size, ELS_USER_SIZE * sizeof(ocrGuid_t));
    for (u8 at = 0; at < ELS_USER_SIZE; at++) {
        CHECK_EQ(slots[at].guid, value + at);
        slots[at] = number(value + at + 1); /* the same place */
    }
}

static void storage_is_full(u64 value) {
    for (u8 at = 0; at < ELS_USER_SIZE; at++) {
        CHECK_EQ(ocrElsUserGet(at).guid, value + at + 1);
    }
}

static void knows_itself(const told_t *told) {
    ocrGuid_t edt = number(42), output = number(42);
    OK(ocrCurrentEdtGet(&edt));
    CHECK(ocrGuidIsEq(edt, told->edt));
    CHECK(ocrGuidIsEq(currentEdtUserGet(), told->edt));
    OK(ocrCurrentEdtOutputGet(&output));
    CHECK(ocrGuidIsEq(output, told->output));
    REFUSED(OCR_EINVAL, ocrCurrentEdtGet(NULL));
    REFUSED(OCR_EINVAL, ocrCurrentEdtOutputGet(NULL));
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void wait_in_a_call(void) {
    ocrGuid_t handle, slot, tmpl = template_of(nothing, 0, 1);
    OK(ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 1, &slot, NULL_GUID));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    OK(ocrEventDestroy(handle));
    OK(ocrEdtTemplateDestroy(tmpl));
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const told_t *told = depv[0].ptr;
    u64 value = (u64)told->edt.guid;
    ocrGuid_t worker = NULL_GUID, again = NULL_GUID;
    ocrCurrentWorkerGuid(&worker);
    ocrCurrentWorkerGuid(&again);
    CHECK(!ocrGuidIsNull(worker) && ocrGuidIsEq(worker, again));
    storage_is_empty();
    knows_itself(told);
    fill_storage(value);
    if (told->waits) {
        wait_in_a_call();
        knows_itself(told);
        /* Another thread has its worker's place. */
        OK(ocrInformLegacyCodeBlocking());
        OK(ocrInformLegacyCodeBlocking());
        ocrCurrentWorkerGuid(&worker);
        CHECK(ocrGuidIsNull(worker));
    }
    knows_itself(told);
    storage_is_full(value);
    return NULL_GUID;
}

/* An EDT that gets its own GUID and that of its output event, of the kind that the number chooses. */
static void one(u64 at) {
    static const u32 sizes[] = {0, 1, 20, WIDE};
    static const u16 flags[] = {EDT_PROP_NONE, EDT_PROP_FINISH, EDT_PROP_OEVT_VALID,
                                EDT_PROP_FINISH | EDT_PROP_OEVT_VALID};
    u64 params[WIDE] = {0};
    u32 paramc = sizes[at % 4];
    u16 kind = flags[at / 4 % 4];
    bool wanted = kind & EDT_PROP_OEVT_VALID || at % 3 != 0;
    ocrGuid_t output = kind & EDT_PROP_OEVT_VALID ? event_of(OCR_EVENT_ONCE_T) : NULL_GUID;
    ocrGuid_t edt = spawn_with(asks, paramc, paramc == 0 ? NULL : params, 1, NULL, kind, wanted ? &output : NULL);
    void *addr;
    ocrGuid_t block = block_of(sizeof(told_t), &addr);
    *(told_t *)addr = (told_t){edt, output, at % 5 == 0};
    OK(ocrDbRelease(block));
    link_to(block, edt, 0, DB_MODE_RO);
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 at = 0; at < EDTS; at++) {
        one(at);
    }
    storage_is_empty();
    return NULL_GUID;
}

static void outside(void) {
    ocrGuid_t guid = number(42);
    void *slots = &guid;
    u64 size = 42;
    ocrElsUserSet(0, guid);
    CHECK(ocrGuidIsError(ocrElsUserGet(0)));
    REFUSED(OCR_EPERM, ocrEdtLocalStorageGet(&slots, &size));
    REFUSED(OCR_EPERM, ocrCurrentEdtOutputGet(&guid));
    CHECK(slots == &guid && size == 42 && guid.guid == 42);
    REFUSED(OCR_EPERM, ocrCurrentEdtGet(&guid));
    CHECK(ocrGuidIsNull(guid) && ocrGuidIsNull(currentEdtUserGet()));
    guid = number(42);
    ocrCurrentWorkerGuid(&guid);
    CHECK(ocrGuidIsNull(guid));
    OK(ocrInformLegacyCodeBlocking());
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, handle, slot;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    outside();
    OK(ocrLegacySpawnOCR(&handle, template_of(all, 0, 1), 0, NULL, 1, &slot, context));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    outside();
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}
