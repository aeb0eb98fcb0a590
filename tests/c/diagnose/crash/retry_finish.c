// A finish EDT that crashes when it has created others, the first two times, is undone with them: the EDTs of the third
// attempt run once, its output event is satisfied behind them, with what the attempt has returned, and the event that
// they count down triggers once. The local storage of an attempt is empty when it begins.
//
// clause: crash
// env: OCR_RETRY=2
// stderr: ocr: note: OCR_RETRY: 2 attempts crashed and were undone; 1 EDT ended well after that.
// needs: signals
#include "crash.h"

#include <extensions/ocr-runtime-itf.h>

#define CHILDREN 100

static u32 begun, ended;

static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const u32 attempt = ++begun;
    CHECK(ocrGuidIsNull(ocrElsUserGet(0)));
    ocrGuid_t tmpl = template_of(child, 1, 1);
    for (u64 at = 0; at < CHILDREN; at++) {
        ocrGuid_t block = block_with(at);
        edt_of(tmpl, 1, &at, 1, &block, EDT_PROP_NONE, NULL);
    }
    ocrElsUserSet(0, tmpl);
    CHECK_EQ(__atomic_load_n(&ended, __ATOMIC_RELAXED), 0);
    if (attempt < 3)
        division(depv);
    OK(ocrEdtTemplateDestroy(tmpl));
    return block_with(17);
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 17);
    CHECK_EQ(begun, 3);
    CHECK_EQ(__atomic_load_n(&ended, __ATOMIC_RELAXED), CHILDREN);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, tmpl = template_of(creates, 0, 1), end = spawn(looks, 0, NULL, 1, NULL);
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_FINISH, &output);
    link_to(output, end, 0, DB_MODE_CONST);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
