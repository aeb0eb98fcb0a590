/*
 * ocrAddDependenceByValue and groups: what the consumer sees, whose copy it is, and when that goes; events of
 * each kind; each code.
 */
// clause: ocr-db-by-value.h
// one-node: ocrAddDependenceByValue is for objects of the node that calls it
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-info.h>
#include <extensions/ocr-db-partitioning.h>

enum { COUNT = 100, CONSUMERS = 20 };

static u32 *numbers(ocrGuid_t *block, u32 first) {
    u32 *data;
    *block = block_of(COUNT * sizeof(u32), (void **)&data);
    for (u32 i = 0; i < COUNT; i++)
        data[i] = first + i;
    return data;
}

static void are(const u32 *data, u32 first) {
    for (u32 i = 0; i < COUNT; i++)
        CHECK_EQ(data[i], first + i);
}

/* Notes the GUID of the copy in slot 0 in the block in slot 1, at the place that its parameter says. */
static ocrGuid_t sees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    u64 size = 0;
    are(depv[0].ptr, (u32)paramv[0]);
    OK(ocrDbGetSize(depv[0].guid, &size));
    CHECK_EQ(size, COUNT * sizeof(u32));
    ((ocrGuid_t *)depv[1].ptr)[paramv[1]] = depv[0].guid;
    for (u32 slot = 2; slot < depc; slot++)
        CHECK(ocrGuidIsNull(depv[slot].guid) || ocrGuidIsEq(depv[slot].guid, depv[0].guid));
    if (depv[0].mode == DB_MODE_EW)
        for (u32 i = 0; i < COUNT; i++)
            ((u32 *)depv[0].ptr)[i] = 0;
    if (paramv[2] == 1)
        OK(ocrDbRelease(depv[0].guid));
    if (paramv[2] == 2)
        OK(ocrDbDestroy(depv[0].guid));
    return paramv[2] == 3 ? depv[0].guid : NULL_GUID;
}

/* `paramv[0]` GUIDs were noted, all of copies that are gone. */
static ocrGuid_t all_gone(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const ocrGuid_t *seen = depv[0].ptr;
    u64 size;
    for (u64 i = 0; i < paramv[0]; i++) {
        CHECK(!ocrGuidIsNull(seen[i]));
        REFUSED(OCR_EINVAL, ocrDbGetSize(seen[i], &size));
    }
    return NULL_GUID;
}

static ocrGuid_t notes(void) {
    void *addr;
    ocrGuid_t block = block_of(CONSUMERS * sizeof(ocrGuid_t), &addr);
    memset(addr, 0, CONSUMERS * sizeof(ocrGuid_t));
    OK(ocrDbRelease(block));
    return block;
}

/* A consumer, which ends before slot `at` of `later` is satisfied. */
static ocrGuid_t consumer(u32 first, u32 at, u32 how, u32 more, ocrGuid_t noted, ocrGuid_t later) {
    u64 params[] = {first, at, how};
    ocrGuid_t done, edt = spawn_with(sees, 3, params, 2 + more, NULL, EDT_PROP_NONE, &done);
    link_to(done, later, 1 + at, DB_MODE_NULL);
    link_to(noted, edt, 1, DB_MODE_RW);
    return edt;
}

static ocrGuid_t looks_after(u32 count, ocrGuid_t noted) {
    u64 params[] = {count};
    ocrGuid_t edt = spawn(all_gone, 1, params, 1 + count, NULL);
    link_to(noted, edt, 0, DB_MODE_CONST);
    return edt;
}

/* EDTs, each with what the block held at its call, in all modes and with all ways to be done with it. */
static ocrGuid_t to_edts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
    ocrGuid_t block, noted = notes(), later = looks_after(CONSUMERS, noted);
    u32 *data = numbers(&block, 0);
    for (u32 i = 0; i < CONSUMERS; i++) {
        for (u32 at = 0; at < COUNT; at++)
            data[at] = 7 * i + at;
        ocrGuid_t edt = consumer(7 * i, i, i % 4, 0, noted, later);
        OK(ocrAddDependenceByValue(block, edt, 0, modes[i / 4 % 4]));
    }
    are(data, 7 * (CONSUMERS - 1));
    OK(ocrDbDestroy(block));
    return NULL_GUID;
}

/* Several EDTs through events that lead to others; some have it in two slots, in one none, or wait longer. */
static ocrGuid_t to_events(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, noted = notes(), later = looks_after(CONSUMERS, noted);
    ocrGuid_t once = event_of(OCR_EVENT_ONCE_T), latch = event_of(OCR_EVENT_LATCH_T),
              second = event_of(OCR_EVENT_ONCE_T);
    ocrGuid_t start = event_of(OCR_EVENT_ONCE_T), edts[CONSUMERS];
    u32 *data = numbers(&block, 500);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrAddDependence(once, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL));
    OK(ocrAddDependence(latch, second, 0, DB_MODE_NULL));
    for (u32 i = 0; i < CONSUMERS; i++) {
        edts[i] = consumer(500, i, i % 2, 2, noted, later);
        link_to(i % 3 ? once : second, edts[i], 0, DB_MODE_CONST);
        link_to(once, edts[i], 2, i % 4 ? DB_MODE_CONST : DB_MODE_NULL);
        link_to(i % 5 ? NULL_GUID : start, edts[i], 3, DB_MODE_NULL);
    }
    /* One that will not run, and one whose event is satisfied when it is gone. */
    ocrGuid_t gone = spawn(end_edt, 0, NULL, 2, NULL);
    link_to(once, gone, 0, DB_MODE_CONST);
    OK(ocrEdtDestroy(gone));
    gone = spawn(end_edt, 0, NULL, 2, NULL);
    link_to(once, gone, 0, DB_MODE_CONST);
    /* an event does not use the mode, which may be anything */
    OK(ocrAddDependenceByValue(block, once, 0, (ocrDbAccessMode_t)77));
    OK(ocrEdtDestroy(gone));
    gone = spawn(end_edt, 0, NULL, 2, NULL);
    OK(ocrAddDependenceByValue(block, gone, 1, DB_MODE_RW));
    OK(ocrEdtDestroy(gone));
    data[0] = 0;
    OK(ocrDbDestroy(block));
    OK(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}

/* Of an event that keeps it: an ordinary block, also for those that come late. */
static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    are(depv[0].ptr, 40);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t comes_late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    are(depv[0].ptr, 40);
    ocrGuid_t event = ((ocrGuid_t *)paramv)[0], edt = spawn(destroys, 0, NULL, 1, NULL);
    link_to(event, edt, 0, DB_MODE_EW);
    if (paramv[1] != 0)
        OK(ocrEventDestroy(event));
    return NULL_GUID;
}

static ocrGuid_t to_keepers(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, event;
    numbers(&block, 40);
    const ocrEventTypes_t types[] = {OCR_EVENT_STICKY_T, OCR_EVENT_IDEM_T, OCR_EVENT_COUNTED_T};
    for (u32 i = 0; i < 3; i++) {
        ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 2}};
        OK(ocrEventCreateParams(&event, types[i], EVT_PROP_TAKES_ARG, &params));
        u64 args[] = {(u64)event.guid, i < 2};
        ocrGuid_t edt = spawn(comes_late, 2, args, 1, NULL);
        /* The idempotent one is destroyed by what it leads to, which comes when nothing satisfies it any more. */
        if (types[i] != OCR_EVENT_IDEM_T)
            link_to(event, edt, 0, DB_MODE_RO);
        OK(ocrAddDependenceByValue(block, event, 0, DB_MODE_RO));
        if (types[i] == OCR_EVENT_IDEM_T) {
            /* Ignored, and the copy goes. */
            OK(ocrAddDependenceByValue(block, event, 0, DB_MODE_RO));
            link_to(event, edt, 0, DB_MODE_RO);
        }
    }
    return NULL_GUID;
}

/* The private block cannot be passed on, its content can. */
static ocrGuid_t last_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    are(depv[0].ptr, 90);
    CHECK(ocrGuidIsNull(depv[1].guid));
    return NULL_GUID;
}

static ocrGuid_t passes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t next = ((ocrGuid_t *)paramv)[0], event = event_of(OCR_EVENT_ONCE_T), own = block_with(1);
    REFUSED(OCR_EINVAL, ocrAddDependence(depv[0].guid, next, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(event, depv[0].guid));
    REFUSED(OCR_EINVAL, ocrDbCopy(own, 0, depv[0].guid, 0, 8, 0, NULL));
    OK(ocrEventDestroy(event));
    OK(ocrDbDestroy(own));
    OK(ocrAddDependenceByValue(depv[0].guid, next, 0, DB_MODE_RO));
    return depv[0].guid;
}

static ocrGuid_t chain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, result, next = spawn(last_one, 0, NULL, 2, NULL);
    numbers(&block, 90);
    ocrGuid_t edt = spawn_with(passes_on, 1, (u64 *)&next, 1, NULL, EDT_PROP_NONE, &result);
    link_to(result, next, 1, DB_MODE_RO);
    /* A group, in which the block is destroyed. */
    OK(ocrGroupBegin());
    OK(ocrAddDependenceByValue(block, edt, 0, DB_MODE_EW));
    OK(ocrDbDestroy(block));
    OK(ocrGroupEnd());
    return NULL_GUID;
}

static ocrGuid_t wrong_calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t block, mine = depv[0].guid, other = block_with(9), edt = spawn(end_edt, 0, NULL, 2, NULL);
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T), tmpl = template_of(end_edt, 0, 1);
    numbers(&block, 0);
    REFUSED(OCR_EACCES, ocrAddDependenceByValue(other, edt, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceByValue(sticky, edt, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceByValue(UNINITIALIZED_GUID, edt, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceByValue(block, edt, 0, (ocrDbAccessMode_t)3));
    REFUSED(OCR_EINVAL, ocrAddDependenceByValue(block, edt, 2, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceByValue(block, NULL_GUID, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependenceByValue(block, sticky, 1, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependenceByValue(block, tmpl, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependenceByValue(block, block, 0, DB_MODE_RO));
    OK(ocrAddDependenceByValue(mine, edt, 0, DB_MODE_RO));
    REFUSED(OCR_EPERM, ocrAddDependenceByValue(mine, edt, 0, DB_MODE_RO));
    OK(ocrDbRelease(mine));
    REFUSED(OCR_EACCES, ocrAddDependenceByValue(mine, edt, 1, DB_MODE_RO));
    OK(ocrEventSatisfy(sticky, NULL_GUID));
    REFUSED(OCR_EPERM, ocrAddDependenceByValue(block, sticky, 0, DB_MODE_RO));
    OK(ocrEdtDestroy(edt));
    edt = spawn(all_gone, 1, &(u64){0}, 1, NULL);
    OK(ocrAddDependenceByValue(NULL_GUID, edt, 0, DB_MODE_RO));
    edt = spawn(all_gone, 1, &(u64){0}, 1, NULL);
    OK(ocrAddDependenceByValue(block, edt, 0, DB_MODE_NULL));
    REFUSED(OCR_EPERM, ocrGroupEnd());
    OK(ocrGroupBegin());
    REFUSED(OCR_EPERM, ocrGroupBegin());
    OK(ocrGroupEnd());
    REFUSED(OCR_EPERM, ocrGroupEnd());
    OK(ocrGroupBegin());
    return NULL_GUID; /* which ends the group */
}

static ocrGuid_t no_group(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    REFUSED(OCR_EPERM, ocrGroupEnd());
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEdt_t parts[] = {to_edts, to_events, to_keepers, chain};
    const u32 rounds = small_run() ? 2 : 20;
    ocrGuid_t done, end = end_after(4 * rounds + 2);
    for (u32 i = 0; i < 4 * rounds; i++) {
        ocrGuid_t part = spawn_with(parts[i % 4], 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
        link_to(done, end, i, DB_MODE_NULL);
        link_to(NULL_GUID, part, 0, DB_MODE_NULL);
    }
    ocrGuid_t after = spawn_with(no_group, 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
    link_to(done, end, 4 * rounds, DB_MODE_NULL);
    ocrGuid_t ended, wrong = spawn_with(wrong_calls, 0, NULL, 1, NULL, EDT_PROP_FINISH, &ended);
    ocrGuid_t both = event_of(OCR_EVENT_STICKY_T);
    link_to(both, after, 0, DB_MODE_NULL);
    link_to(both, end, 4 * rounds + 1, DB_MODE_NULL);
    link_to(ended, both, 0, DB_MODE_NULL);
    link_to(block_with(3), wrong, 0, DB_MODE_RW);
    return NULL_GUID;
}
