/*
 * ocrPause stops the other workers between two EDTs: nothing runs until ocrResume, and what is ready then
 * is what ocrQuery says. Two EDTs that pause at a time do so one after the other.
 */
// clause: ocr-pause.h
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <stdatomic.h>

#define MANY 100

static atomic_int ran, running, pausers, refused;
static ocrGuid_t ready[MANY], waiting;

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_fetch_add(&running, 1);
    breathe();
    atomic_fetch_add(&ran, 1);
    atomic_fetch_sub(&running, 1);
    return NULL_GUID;
}

static bool among(ocrGuid_t guid, const ocrGuid_t *all, u32 bytes) {
    for (u32 n = 0; n < bytes / sizeof guid; n++)
        if (ocrGuidIsEq(guid, all[n]))
            return true;
    return false;
}

/* Pauses, makes EDTs, sees that they are ready and do not run. */
static ocrGuid_t pauses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *list = &list;
    u32 size = 77;
    CHECK(ocrGuidIsNull(ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &size, 0))); /* not paused */
    CHECK_EQ(size, 0);
    u32 flag = ocrPause(true);
    CHECK_EQ(flag, 1);
    CHECK_EQ(ocrPause(false), 0); /* by the same EDT */
    CHECK_EQ(atomic_fetch_add(&pausers, 1), 0);
    CHECK_EQ(atomic_load(&running), 0);
    int before = atomic_load(&ran);
    ocrGuid_t tmpl = template_of(counts, 0, 1), gate = event_of(OCR_EVENT_ONCE_T);
    for (int n = 0; n < MANY; n++)
        ready[n] = edt_of(tmpl, 0, NULL, 1, n % 2 ? &gate : (ocrGuid_t[]){NULL_GUID}, EDT_PROP_NONE, NULL);

    ocrGuid_t answer = ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &size, 0);
    CHECK(!ocrGuidIsNull(answer));
    for (int n = 0; n < MANY; n++)
        CHECK_EQ(among(ready[n], list, size), n % 2 == 0);
    OK(ocrDbDestroy(answer));

    OK(ocrEventSatisfy(gate, NULL_GUID));
    answer = ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &size, 0);
    for (int n = 0; n < MANY; n++)
        CHECK(among(ready[n], list, size));
    CHECK(!among(waiting, list, size));
    OK(ocrDbDestroy(answer));
    /* the same again: looking changes nothing */
    u32 again;
    OK(ocrDbDestroy(ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &again, 0)));
    CHECK_EQ(again, size);

    answer = ocrQuery(OCR_QUERY_ALL_EDTS, NULL_GUID, &list, &size, 0);
    CHECK(among(waiting, list, size));
    for (int n = 0; n < MANY; n++)
        CHECK(among(ready[n], list, size));
    OK(ocrDbDestroy(answer));
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T), edt = spawn(counts, 0, NULL, 1, &sticky);
    answer = ocrQuery(OCR_QUERY_EVENTS, edt, &list, &size, 0);
    CHECK_EQ(size, sizeof(ocrGuid_t));
    CHECK(ocrGuidIsEq(*(ocrGuid_t *)list, sticky));
    OK(ocrDbDestroy(answer));
    OK(ocrEdtDestroy(edt));
    CHECK(ocrGuidIsNull(ocrQuery(OCR_QUERY_LAST_SATISFIED_DB, edt, &list, &size, 0)));
    REFUSED(OCR_EPERM, ocrLegacyBlockProgress(sticky, NULL, NULL, NULL, LEGACY_PROP_NONE));
    CHECK(ocrGuidIsError(ocrWait(sticky)));
    /* No EDT could make what a labeled event waits for, or take away what is in the way of one. */
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 0));
    REFUSED(OCR_EPERM, ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_WAIT_FOR_CREATE));
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    REFUSED(OCR_ECANCELED, ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK));
    OK(ocrEventDestroy(label));
    OK(ocrGuidMapDestroy(range));

    for (int n = 0; n < 20; n++)
        breathe();
    CHECK_EQ(atomic_load(&ran), before);
    CHECK_EQ(atomic_load(&running), 0);
    atomic_fetch_sub(&pausers, 1);
    ocrResume(flag);
    ocrResume(0);
    ocrInjectFault(); /* does nothing without OCR_RETRY */
    return NULL_GUID;
}

/* Goes on if somebody else has paused. */
static ocrGuid_t tries(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 flag = ocrPause(false);
    if (flag) {
        CHECK_EQ(atomic_load(&pausers), 0);
        CHECK_EQ(atomic_load(&running), 0);
    } else {
        atomic_fetch_add(&refused, 1);
    }
    ocrResume(flag);
    return NULL_GUID;
}

/* Waits in a call, while others pause. */
static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int n = 0; n < 10; n++) {
        ocrGuid_t handle, slot;
        OK(ocrLegacySpawnOCR(&handle, template_of(counts, 0, 1), 0, NULL, 1, &slot, NULL_GUID));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
        CHECK_EQ(atomic_load(&pausers), 0);
    }
    return NULL_GUID;
}

static ocrGuid_t forgets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(ocrPause(true), 1);
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int n = 0; n < 10; n++) {
        spawn(counts, 0, NULL, 0, NULL);
        spawn(pauses, 0, NULL, 0, NULL);
        spawn(tries, 0, NULL, 0, NULL);
        spawn(waits, 0, NULL, 0, NULL);
    }
    spawn(forgets, 0, NULL, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, gate = event_of(OCR_EVENT_STICKY_T);
    waiting = end_after(2);
    spawn_with(all, 0, NULL, 1, &gate, EDT_PROP_FINISH, &output);
    link_to(output, waiting, 0, DB_MODE_NULL);
    link_to(NULL_GUID, waiting, 1, DB_MODE_NULL);
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}
