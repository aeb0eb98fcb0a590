/*
 * 1.4.3, 2.6.4 sticky events: dependences before and after the satisfaction are served with its
 * data; a second satisfaction is OCR_EPERM; of many at once exactly one succeeds; the event lives
 * until it is destroyed, and those already served are not touched by that.
 */
// clause: 1.4.3 2.6.4
// unordered: many EDTs satisfy one event, of which one succeeds
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { RACERS = 200 };
static atomic_int succeeded;

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u8 code = ocrEventSatisfy(((ocrGuid_t *)paramv)[0], depv[0].guid);
    CHECK(code == 0 || code == OCR_EPERM);
    atomic_fetch_add(&succeeded, code == 0);
    return NULL_GUID;
}

static ocrGuid_t race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = ((ocrGuid_t *)paramv)[0];
    u64 value = 6;
    for (int i = 0; i < RACERS; i++) {
        ocrGuid_t block = block_with(6);
        spawn(satisfies, 1, paramv, 1, &block);
        /* Dependences race with the satisfaction: none is lost, none served twice. */
        link_to(event, spawn(gets, 1, &value, 1, NULL), 0, DB_MODE_RO);
    }
    return NULL_GUID;
}

static ocrGuid_t after_race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&succeeded), 1);
    OK(ocrEventDestroy(((ocrGuid_t *)paramv)[0]));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t starts_race(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(race, 1, (u64 *)&event, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(after_race, 1, (u64 *)&event, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), next = spawn(starts_race, 0, NULL, 6, NULL);
    u64 value = 8;
    for (u32 i = 0; i < 6; i++) {
        ocrGuid_t output, edt = spawn_with(gets, 1, &value, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, next, i, DB_MODE_NULL);
        if (i == 3) {
            OK(ocrEventSatisfy(event, block_with(8)));
            REFUSED(OCR_EPERM, ocrEventSatisfy(event, block_with(9)));
            REFUSED(OCR_EPERM, ocrEventSatisfySlot(event, NULL_GUID, 0));
            REFUSED(OCR_EPERM, ocrAddDependence(block_with(9), event, 0, DB_MODE_RW));
        }
        link_to(event, edt, 0, DB_MODE_RW);
    }
    OK(ocrEventDestroy(event));
    REFUSED(OCR_EINVAL, ocrEventDestroy(event));
    return NULL_GUID;
}
