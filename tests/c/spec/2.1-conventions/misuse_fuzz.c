// Wrong calls by many at once. EDTs and threads of the program create, connect, satisfy and destroy
// the same few objects, in any order, with GUIDs that are stale or changed by a bit. Every call
// returns a status, no EDT runs with the wrong parameters, and nothing crashes or hangs.
// By OCR 1.1.0, 2.1, incorrect parameters get a code where the runtime can see them.
//
// clause: 2.1
// unordered: EDTs and threads use and destroy the same objects at once, on purpose
// workers: 2 8
// one-node: its EDTs share variables of the program
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { EVENTS = 64, EDTS = 64, BLOCKS = 32, KINDS = 5, ROUNDS = 2000, OPERATIONS = 200, TEAMS = 12, THREADS = 2 };

static const u32 depCounts[KINDS] = {0, 1, 3, 8, 40};
static _Atomic s64 events[EVENTS], edts[EDTS], blocks[BLOCKS];
static ocrGuid_t bodyTemplates[KINDS], teamTemplate, endTemplate;
static atomic_int teams = TEAMS, threads = THREADS;
static const u64 mark = 0x1234567;

static _Thread_local u64 seed;

static u64 below(u64 bound)
{
    if (seed == 0) {
        seed = (u64)(uintptr_t)&seed | 1;
    }
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * 0x2545F4914F6CDD1DULL >> 32) % bound;
}

static ocrGuid_t any(_Atomic s64 *from, u64 count)
{
    return (ocrGuid_t){.guid = from[below(count)]};
}

/* Now and then another slot, another generation, or one bit changed. */
static ocrGuid_t bent(ocrGuid_t guid)
{
    switch (below(24)) {
    case 0: guid.guid += 1; break;
    case 1: guid.guid -= 1; break;
    case 2: guid.guid += (s64)1 << 32; break;
    case 3: guid.guid -= (s64)1 << 32; break;
    case 4: guid.guid ^= (s64)1 << below(32); break;
    case 5: guid.guid = -(s64)below(4); break;
    default: break;
    }
    return guid;
}

/* A status of the interface, and never the one that says that the runtime itself failed. */
static void returned(u8 status)
{
    CHECK(status != OCR_EFAULT);
}

static ocrGuid_t body(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    CHECK(paramc == 2 && paramv[0] == mark && paramv[1] == depc);
    for (u32 i = 0; i < depc; ++i) {
        CHECK(ocrGuidIsNull(depv[i].guid) == (depv[i].ptr == NULL));
    }
    return below(2) ? NULL_GUID : any(events, EVENTS);
}

static void createEdt(void)
{
    u64 kind = below(KINDS);
    u32 depc = depCounts[kind];
    u64 params[] = {mark, depc};
    ocrGuid_t depv[40], edt = NULL_GUID, output = NULL_GUID;
    for (u32 i = 0; i < depc; ++i) {
        depv[i] = below(3) == 0 ? UNINITIALIZED_GUID : below(2) ? NULL_GUID : bent(any(events, EVENTS));
    }
    u8 status = ocrEdtCreate(&edt, bodyTemplates[kind], 2, params, depc, depc && below(4) ? depv : NULL,
                             below(2) ? EDT_PROP_FINISH : EDT_PROP_NONE, NULL_HINT, below(2) ? &output : NULL);
    returned(status);
    if (status == 0) {
        edts[below(EDTS)] = edt.guid;
        events[below(EVENTS)] = output.guid;
    }
}

static void operation(void)
{
    static const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T, OCR_EVENT_LATCH_T};
    ocrGuid_t guid;
    void *ptr;
    switch (below(12)) {
    case 0:
        returned(ocrEventCreate(&guid, types[below(4)], EVT_PROP_NONE));
        events[below(EVENTS)] = guid.guid;
        break;
    case 1: returned(ocrEventDestroy(bent(any(events, EVENTS)))); break;
    case 2: returned(ocrEventSatisfySlot(bent(any(events, EVENTS)), NULL_GUID, (u32)below(3))); break;
    case 3: returned(ocrEventSatisfy(any(events, EVENTS), NULL_GUID)); break;
    case 4:
    case 5: returned(ocrAddDependence(any(events, EVENTS), bent(any(edts, EDTS)), (u32)below(10), DB_MODE_RO)); break;
    case 6: returned(ocrAddDependence(any(events, EVENTS), any(events, EVENTS), (u32)below(3), DB_MODE_RO)); break;
    case 7: returned(ocrAddDependence(NULL_GUID, bent(any(edts, EDTS)), (u32)below(10), DB_MODE_RO)); break;
    case 8: createEdt(); break;
    case 9: returned(ocrEdtDestroy(bent(any(edts, EDTS)))); break;
    case 10:
        returned(ocrDbCreate(&guid, &ptr, below(300), below(2) ? DB_PROP_NO_ACQUIRE : DB_PROP_NONE, NULL_HINT,
                             NO_ALLOC));
        blocks[below(BLOCKS)] = guid.guid;
        break;
    case 11:
        /* No EDT acquires these blocks, so destroying them is never too early. */
        returned(below(2) ? ocrDbDestroy(any(blocks, BLOCKS)) : ocrDbRelease(any(blocks, BLOCKS)));
        break;
    }
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static void leave(atomic_int *group)
{
    ocrGuid_t edt;
    atomic_fetch_sub(group, 1);
    if (atomic_load(&teams) == 0 && atomic_load(&threads) == 0) {
        /* Perhaps both groups' last: ending twice does no harm. */
        CHECK_EQ(ocrEdtCreate(&edt, endTemplate, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL), 0);
    }
}

static ocrGuid_t team(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (int i = 0; i < OPERATIONS; ++i) {
        operation();
    }
    u64 left = paramv[0] - 1;
    ocrGuid_t edt;
    if (left == 0) {
        leave(&teams);
    } else {
        CHECK_EQ(ocrEdtCreate(&edt, teamTemplate, 1, &left, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL), 0);
    }
    return NULL_GUID;
}

static void *thread(void *unused)
{
    for (int i = 0; i < ROUNDS * OPERATIONS; ++i) {
        operation();
    }
    leave(&threads);
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < KINDS; ++i) {
        CHECK_EQ(ocrEdtTemplateCreate(&bodyTemplates[i], body, 2, depCounts[i]), 0);
    }
    CHECK_EQ(ocrEdtTemplateCreate(&teamTemplate, team, 1, 0), 0);
    CHECK_EQ(ocrEdtTemplateCreate(&endTemplate, end, 0, 0), 0);
    for (int i = 0; i < THREADS; ++i) {
        pthread_t id;
        CHECK_EQ(pthread_create(&id, NULL, thread, NULL), 0);
        CHECK_EQ(pthread_detach(id), 0);
    }
    for (int i = 0; i < TEAMS; ++i) {
        u64 rounds = ROUNDS;
        ocrGuid_t edt;
        CHECK_EQ(ocrEdtCreate(&edt, teamTemplate, 1, &rounds, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL), 0);
    }
    return NULL_GUID;
}
