/*
 * EDTs that wait by ocrInformLegacyCodeBlocking when the run ends. Two look for what never comes, one of them after
 * it has waited in a call: the program ends without them. The others run to their ends: what they look for comes from
 * an EDT that still runs after ocrShutdown, from another that looks, from one that waited in a call, and, later, from
 * a thread of the program.
 */
// clause: 2.3.1 ocr-runtime-itf.h
// needs: halt
// stderr: (looks_in_vain): it waits with ocrInformLegacyCodeBlocking
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>
#include <pthread.h>
#include <stdatomic.h>

#define EDTS 7 /* that have to begin before the end */

static atomic_int begun, ended;
static atomic_bool never, late, next, outside, cancelled;
static ocrGuid_t unsatisfied;
static pthread_t thread;

static void look_for(atomic_bool *flag) {
    OK(ocrInformLegacyCodeBlocking());
    atomic_fetch_add(&begun, 1);
    while (!atomic_load(flag))
        OK(ocrInformLegacyCodeBlocking());
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t looks_in_vain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    if (paramv[0]) {
        ocrGuid_t handle, slot;
        OK(ocrLegacySpawnOCR(&handle, template_of(nothing, 0, 1), 0, NULL, 1, &slot, NULL_GUID));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    }
    look_for(&never);
    CHECK(false);
    return NULL_GUID;
}

static ocrGuid_t looks_for_late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    look_for(&late);
    atomic_store(&next, true);
    atomic_fetch_add(&ended, 1);
    return NULL_GUID;
}

static ocrGuid_t looks_for_next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    look_for(&next);
    atomic_fetch_add(&ended, 1);
    return NULL_GUID;
}

static void *sets_outside(void *unused) {
    usleep(30000);
    atomic_store(&outside, true);
    return unused;
}

static ocrGuid_t looks_for_outside(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    look_for(&outside);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    atomic_fetch_add(&ended, 1);
    return NULL_GUID;
}

static ocrGuid_t looks_for_cancelled(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    look_for(&cancelled);
    atomic_fetch_add(&ended, 1);
    return NULL_GUID;
}

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_fetch_add(&begun, 1);
    REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(unsatisfied, NULL, NULL, NULL, LEGACY_PROP_NONE));
    atomic_store(&cancelled, true);
    return NULL_GUID;
}

static ocrGuid_t shuts_down(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    while (atomic_load(&begun) != EDTS)
        OK(ocrInformLegacyCodeBlocking());
    CHECK_EQ(pthread_create(&thread, NULL, sets_outside, NULL), 0);
    ocrShutdown();
    breathe();
    atomic_store(&late, true);
    return NULL_GUID;
}

static void checks(void) {
    if (atomic_load(&ended) != 4) {
        fprintf(stderr, "%d EDTs have ended\n", atomic_load(&ended));
        _exit(1);
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl;
    CHECK_EQ(atexit(checks), 0);
    unsatisfied = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtTemplateCreate(&tmpl, looks_in_vain, 1, 0));
    for (u64 n = 0; n < 2; n++)
        edt_of(tmpl, 1, &n, 0, NULL, EDT_PROP_NONE, NULL);
    spawn(looks_for_next, 0, NULL, 0, NULL);
    spawn(looks_for_late, 0, NULL, 0, NULL);
    spawn(looks_for_outside, 0, NULL, 0, NULL);
    spawn(looks_for_cancelled, 0, NULL, 0, NULL);
    spawn(waits, 0, NULL, 0, NULL);
    spawn(shuts_down, 0, NULL, 0, NULL);
    return NULL_GUID;
}
