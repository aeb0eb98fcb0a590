/*
 * Strict mode: refusals that answer a question are no misuse. A handle is polled, a label is waited for if it has
 * an object, a type of collective events is tried, hints are made behind ocrShutdown. Nor is what changes nothing: to
 * resume with the answer of a pause that was none, a hint without a type, paramv without parameters.
 */
// clause: ocr-legacy.h B.2.3
// env: OCR_CHECK=strict
#include "strict.h"
#include <extensions/ocr-hints.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <extensions/ocr-runtime-itf.h>

static ocrGuid_t spawned(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < 10; i++)
        breathe();
    return NULL_GUID;
}

static void polls(void) {
    ocrGuid_t handle, first = NULL_GUID, tmpl = TEMPLATE(spawned, 0, 1);
    OK(ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 1, &first, NULL_GUID));
    while (ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_CHECK) != 0)
        ocrInformLegacyCodeBlocking();
    OK(ocrEventDestroy(handle));
    OK(ocrEdtTemplateDestroy(tmpl));
}

static void waits_if_created(void) {
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 0));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_WAIT_IF_CREATED));
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_CHECK));
    OK(ocrEventSatisfy(label, NULL_GUID));
    OK(ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_NONE));
    OK(ocrEventDestroy(label));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_WAIT_IF_CREATED));
    OK(ocrGuidMapDestroy(range));
}

static void changes_nothing(void) {
    ocrGuid_t handle, first = NULL_GUID, sticky = event_of(OCR_EVENT_STICKY_T), tmpl = TEMPLATE(spawned, 0, 1);
    ocrHint_t untyped = {0};
    void *addr;
    u32 flag = ocrPause(true);
    CHECK_EQ(ocrPause(true), 0);
    ocrResume(0);
    ocrResume(flag);
    ocrElsUserSet(ELS_USER_SIZE - 1, sticky);
    CHECK(ocrGuidIsEq(ocrElsUserGet(ELS_USER_SIZE - 1), sticky));
    OK(ocrDbCreate(&first, &addr, 8, DB_PROP_NONE, &untyped, NO_ALLOC));
    OK(ocrEventSatisfy(sticky, first));
    CHECK(ocrGuidIsEq(ocrWait(sticky), first));
    OK(ocrDbDestroy(first));
    OK(ocrEventDestroy(sticky));
    u64 unused = 0;
    OK(ocrLegacySpawnOCR(&handle, tmpl, 0, &unused, 1, &first, NULL_GUID));
    CHECK(ocrGuidIsNull(ocrWait(handle)));
    OK(ocrEventDestroy(handle));
    OK(ocrEdtTemplateDestroy(tmpl));
}

static void tries(void) {
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 1,
                                                    .nbContribsPd = 1,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_BROADCAST}};
    ocrGuid_t sum;
    REFUSED(OCR_ENOTSUP, ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint;
    u64 value;
    polls();
    waits_if_created();
    changes_nothing();
    tries();
    ocrShutdown();
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    REFUSED(OCR_ENOENT, ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value));
    return NULL_GUID;
}
