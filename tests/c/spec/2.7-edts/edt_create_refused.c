/*
 * 2.7.3: an EDT is created, or it is not. If an event in depv does not exist, or is destroyed by another thread
 * during the call, and the call is refused, then nothing was written, an output event that was given stays as it
 * is, and neither the finish scope nor the other events know of the EDT.
 */
// clause: 2.7.3
// workers: 2
// one-node: its EDTs share variables of the program
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

static const ocrGuid_t before = {.guid = 77};

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT that was refused or destroyed runs");
    return NULL_GUID;
}

/* One that has triggered, so that an EDT gets its block while it is created. */
static ocrGuid_t triggered(void) {
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(event, block_with(1)));
    return event;
}

/* A source that does not exist, first, last and between others. */
static void refused(u16 finish) {
    ocrGuid_t tmpl = template_of(never, 0, 4), output_of,
              maker = spawn_with(never, 0, NULL, 1, NULL, EDT_PROP_NONE, &output_of);
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T), once = event_of(OCR_EVENT_ONCE_T), set = triggered();
    ocrGuid_t gone = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventDestroy(gone));
    ocrGuid_t others[] = {sticky, set, output_of, once};
    for (int at = 0; at < 4; at++) {
        ocrGuid_t guid = before, output = before, depv[4];
        memcpy(depv, others, sizeof depv);
        depv[at] = gone;
        REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, tmpl, 0, NULL, 4, depv, finish, NULL_HINT, &output));
        CHECK(ocrGuidIsEq(guid, before));
        CHECK(ocrGuidIsEq(output, before));
        REFUSED(OCR_EINVAL, ocrEdtCreate(NULL, tmpl, 0, NULL, 4, depv, finish, NULL_HINT, NULL));

        /* Events of the program as output events. A latch at 0 is not set to 1 for the end of a scope. */
        ocrGuid_t given[] = {event_of(OCR_EVENT_STICKY_T), event_of(OCR_EVENT_LATCH_T)};
        for (int i = 0; i < 2; i++) {
            output = given[i];
            REFUSED(OCR_EINVAL,
                    ocrEdtCreate(&guid, tmpl, 0, NULL, 4, depv, finish | EDT_PROP_OEVT_VALID, NULL_HINT, &output));
            CHECK(ocrGuidIsEq(guid, before));
            CHECK(ocrGuidIsEq(output, given[i]));
        }
        OK(ocrEventSatisfy(given[0], NULL_GUID));
        REFUSED(OCR_EPERM, ocrEventSatisfy(given[0], NULL_GUID));
        OK(ocrEventSatisfySlot(given[1], NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        OK(ocrEventSatisfySlot(given[1], NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
        REFUSED(OCR_EINVAL, ocrEventSatisfySlot(given[1], NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    }
    OK(ocrEventSatisfy(sticky, NULL_GUID));
    OK(ocrEventSatisfy(once, NULL_GUID));
    OK(ocrEdtDestroy(maker));
    OK(ocrEdtTemplateDestroy(tmpl));
}

static ocrGuid_t doomed; /* the event that the other thread is to destroy */
static atomic_int turn;  /* 1: it may begin; 2: it has destroyed it; 3: it is to end */

static void *destroys(void *unused) {
    int now;
    /* At once where there is a core for it; otherwise the other thread is to have this one. */
    for (int looks = 0; (now = turn) != 3; looks++) {
        if (now == 1) {
            OK(ocrEventDestroy(doomed));
            turn = 2;
            looks = 0;
        }
        if (looks > 10000)
            sched_yield();
    }
    return unused;
}

/* A source that another thread destroys meanwhile. */
static void raced(void) {
    const u64 rounds = scaled(20000);
    ocrGuid_t tmpl = template_of(never, 0, 4);
    pthread_t id;
    CHECK_EQ(pthread_create(&id, NULL, destroys, NULL), 0);
    for (u64 round = 0; round < rounds; round++) {
        ocrGuid_t guid = before, output = before, set = triggered(), once = event_of(OCR_EVENT_ONCE_T);
        doomed = event_of(round % 2 ? OCR_EVENT_STICKY_T : OCR_EVENT_LATCH_T);
        ocrGuid_t depv[] = {once, doomed, set, UNINITIALIZED_GUID};
        turn = 1;
        for (volatile u64 wait = 0; wait < round % 64; wait++) {
        }
        u8 status = ocrEdtCreate(&guid, tmpl, 0, NULL, 4, depv, EDT_PROP_NONE, NULL_HINT, &output);
        while (turn != 2)
            sched_yield();
        if (status == 0) {
            /* As if the event had been destroyed after the call: its pre-slot is open. */
            link_to(NULL_GUID, guid, 1, DB_MODE_NULL);
            OK(ocrEdtDestroy(guid));
            REFUSED(OCR_EINVAL, ocrEventDestroy(output));
        } else {
            CHECK_EQ(status, OCR_EINVAL);
            CHECK(ocrGuidIsEq(guid, before));
            CHECK(ocrGuidIsEq(output, before));
        }
        OK(ocrEventSatisfy(once, NULL_GUID));
        OK(ocrEventDestroy(set));
    }
    turn = 3;
    CHECK_EQ(pthread_join(id, NULL), 0);
    OK(ocrEdtTemplateDestroy(tmpl));
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    refused(EDT_PROP_NONE);
    refused(EDT_PROP_FINISH);
    raced();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(scope, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(end_edt, 0, NULL, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
