// A labeled block that many EDTs share is destroyed, and another one is created on its label, while the thread that has
// run EDTs with the first still goes through what that led to. An EDT that acquires the second gets its
// memory, which is allocated then.
//
// workers: 2 8
#include "check.h"

#include <extensions/ocr-labeling.h>

enum { SHARERS = 40, FOLLOWERS = 300000, BATCH = 63 };

static ocrGuid_t label, last;
static volatile bool busy, go;

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
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t again = label;
    void *address = NULL;
    OK(ocrDbDestroy(depv[0].guid));
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
    ocrGuid_t range, sharer, ended, edt, sources[2];
    void *address;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 1));
    OK(ocrDbCreate(&label, &address, 64, GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC));
    OK(ocrDbRelease(label));
    spawn(keeps_busy, 0, NULL, 0, NULL);
    while (!busy)
        ;
    for (int i = 0; i < SHARERS; i++)
        spawn(nothing, 0, NULL, 1, &label);
    sources[0] = UNINITIALIZED_GUID;
    OK(ocrEdtCreate(&sharer, template_of(shares, 0, 1), 0, NULL, 1, sources, EDT_PROP_NONE, NULL_HINT, &ended));
    sources[1] = ended;
    OK(ocrEdtCreate(&last, template_of(uses, 0, 2), 0, NULL, 2, sources, EDT_PROP_NONE, NULL_HINT, NULL));
    /* What the end of the sharer leads to is worked off from the last: the one that replaces the block goes to the
     * other worker with a batch, and these, which have a pre-slot left open, take the time after that. */
    const ocrGuid_t never = template_of(nothing, 0, 2);
    for (int i = 0; i < FOLLOWERS; i++)
        OK(ocrEdtCreate(&edt, never, 0, NULL, 2, sources, EDT_PROP_NONE, NULL_HINT, NULL));
    for (int i = 0; i < BATCH; i++)
        spawn(nothing, 0, NULL, 1, &ended);
    sources[0] = label;
    spawn(replaces, 0, NULL, 2, sources);
    OK(ocrAddDependence(label, sharer, 0, DB_MODE_RW));
    return NULL_GUID;
}
