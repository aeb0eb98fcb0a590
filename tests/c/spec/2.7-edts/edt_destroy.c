/*
 * 2.7.4: an EDT that waits is destroyed: it never runs; its finish scope no longer waits for it; its
 * output event goes with it; events that it was connected to go on without it. One that runs is not destroyed.
 */
// clause: 2.7.4
// deviates: 2.7.4
// one-node: a call that is sent returns 0, also if it is refused later
#include "check.h"
#include <extensions/ocr-runtime-itf.h>

enum { EDTS = 300 };

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"a destroyed EDT ran, or one that waits for its output");
    return NULL_GUID;
}

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    REFUSED(OCR_EPERM, ocrEdtDestroy(currentEdtUserGet()));
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

/* A scope with EDTs that run and EDTs that are destroyed, connected to the same events. */
static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t counter = ((ocrGuid_t *)paramv)[0], once = event_of(OCR_EVENT_ONCE_T),
              sticky = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t doomed[EDTS];
    for (int i = 0; i < EDTS; i++) {
        ocrGuid_t slots[] = {i % 3 ? once : block_with(1), i % 2 ? sticky : UNINITIALIZED_GUID, UNINITIALIZED_GUID},
                  output;
        doomed[i] = spawn_with(never, 0, NULL, 3, slots, i % 4 == 3 ? EDT_PROP_FINISH : EDT_PROP_NONE, &output);
        ocrGuid_t waits = UNINITIALIZED_GUID, behind = spawn(never, 0, NULL, 1, &waits);
        link_to(output, behind, 0, DB_MODE_NULL);
        ocrGuid_t edt = spawn(runs, 0, NULL, 3, NULL);
        link_to(counter, edt, 0, DB_MODE_EW);
        link_to(once, edt, 1, DB_MODE_NULL);
        link_to(sticky, edt, 2, DB_MODE_NULL);
        if (i % 2) {
            OK(ocrEdtDestroy(doomed[i]));
            REFUSED(OCR_EINVAL, ocrEdtDestroy(doomed[i]));
            REFUSED(OCR_EINVAL, ocrEventSatisfy(output, NULL_GUID));
            REFUSED(OCR_EINVAL, ocrAddDependence(NULL_GUID, doomed[i], 2, DB_MODE_NULL));
        }
        OK(ocrEdtDestroy(behind));
    }
    OK(ocrEventSatisfy(once, NULL_GUID));
    for (int i = 0; i < EDTS; i += 2) {
        OK(ocrEdtDestroy(doomed[i])); /* with a slot satisfied meanwhile */
    }
    OK(ocrEventSatisfy(sticky, block_with(2)));
    OK(ocrEventDestroy(sticky));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[1]), EDTS);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t counter = block_with(0), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(scope, 1, (u64 *)&counter, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {done, counter};
    spawn(ends, 0, NULL, 2, slots);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
