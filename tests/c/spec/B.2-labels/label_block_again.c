// A labeled block that many EDTs share is destroyed behind all of them, and another one is created on its label, while
// the thread that has run one of them still goes through what that led to. The label is free, and an EDT that
// acquires the second block gets its memory, which is allocated then.
//
// clause: B.2.3
// unordered: one EDT writes a block which others have in mode RW, and these do not look at it
// one-node: EDTs wait for variables that others of their process set
// workers: 2 8
#include "check.h"
#include <stdatomic.h>

#include <extensions/ocr-labeling.h>

enum { SHARERS = 40, FOLLOWERS = 300000 };

static ocrGuid_t label, last;
static atomic_bool busy, go;

/* Keeps the other worker from the EDTs below until the first has run. */
static ocrGuid_t keeps_busy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    busy = true;
    while (!go)
        ;
    return NULL_GUID;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t shares(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = 1;
    go = true;
    return NULL_GUID;
}

static ocrGuid_t replaces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t again = label;
    void *address = NULL;
    OK(ocrDbDestroy(label));
    OK(ocrDbCreate(&again, &address, 64, GUID_PROP_IS_LABELED | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    OK(ocrAddDependence(label, last, 0, DB_MODE_RW));
    return NULL_GUID;
}

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(depv[0].ptr != NULL);
    *(u64 *)depv[0].ptr = 2;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, sharers[SHARERS], ended, edt, follower, open[SHARERS];
    void *address;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrDbCreate(&label, &address, 64, GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC));
    OK(ocrDbRelease(label));
    spawn(keeps_busy, 0, NULL, 0, NULL);
    while (!busy)
        ;
    for (int i = 0; i < SHARERS; i++)
        open[i] = UNINITIALIZED_GUID;
    OK(ocrEdtCreate(&last, template_of(uses, 0, 1), 0, NULL, 1, open, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtCreate(&edt, template_of(replaces, 0, SHARERS), 0, NULL, SHARERS, open, EDT_PROP_NONE, NULL_HINT, NULL));
    /* The last of them runs first, on this worker. What its end leads to is worked off from the last: first the slot of
     * the EDT that replaces the block, then, for a long time, these, which have a pre-slot left open. */
    const ocrGuid_t never = template_of(nothing, 0, 2), share = template_of(shares, 0, 1),
                    other = template_of(nothing, 0, 1);
    for (int i = 0; i < SHARERS; i++) {
        OK(ocrEdtCreate(&sharers[i], i == SHARERS - 1 ? share : other, 0, NULL, 1, open, EDT_PROP_NONE, NULL_HINT,
                        &ended));
        for (int j = 0; i == SHARERS - 1 && j < FOLLOWERS; j++) {
            ocrGuid_t sources[2] = {ended, UNINITIALIZED_GUID};
            OK(ocrEdtCreate(&follower, never, 0, NULL, 2, sources, EDT_PROP_NONE, NULL_HINT, NULL));
        }
        OK(ocrAddDependence(ended, edt, i, DB_MODE_NULL));
    }
    for (int i = 0; i < SHARERS; i++)
        OK(ocrAddDependence(label, sharers[i], 0, DB_MODE_RW));
    return NULL_GUID;
}
