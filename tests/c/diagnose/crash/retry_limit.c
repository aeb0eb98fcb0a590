// EDTs that never end the first time, each in another way, are undone when they are beyond their time limit and run
// again (OCR_TIME_LIMIT, OCR_RETRY): in a loop, in loops of the allocator, of calls of the runtime, and of a string
// function. Blocks are as they were before, and what was printed, created and satisfied in vain is not there. Other
// threads allocate meanwhile and behind it, so no lock was left held.
//
// clause: crash
// env: OCR_TIME_LIMIT=1
// env: OCR_RETRY=5
// stderr: was beyond its time limit of 1 s and is undone; attempt 2 of 6 follows (OCR_RETRY)
// stderr: took too long and were undone; 4 EDTs ended well after that.
// stderr-without: does not run again
// stdout-lines: 4 ends well
// needs: signals
#include "crash.h"

#include <extensions/ocr-affinity.h>

typedef void spin_t(void);

static void spins(void) {
    for (volatile u64 i = 0;; i++)
        ;
}

static void allocates(void) {
    for (u64 size = 1;; size = size * 7 % 100003) {
        char *volatile some = malloc(size);
        some[0] = 1;
        free(some);
    }
}

static void calls(void) {
    for (;;) {
        u64 count = 0;
        OK(ocrAffinityCount(AFFINITY_PD, &count));
    }
}

static void fills(void) {
    static char bytes[4096];
    for (int value = 0;; value++) {
        memset(bytes, value, sizeof bytes);
        result += bytes[value % 4096];
    }
}

static spin_t *const ways[] = {spins, allocates, calls, fills};
#define WAYS (sizeof ways / sizeof *ways)

/* How often each has begun. Not undone, as no global variable is. */
static u32 begun[WAYS];

/* How often an EDT has run that the late ones have created. */
static u32 followed;

static ocrGuid_t follows(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    __atomic_fetch_add(&followed, 1, __ATOMIC_SEQ_CST);
    return NULL_GUID;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u64 way = paramv[0];
    CHECK_EQ(*(u64 *)depv[0].ptr, 7);
    *(u64 *)depv[0].ptr = 8;
    paramv[0] = 77;
    ocrPrintf("ends well\n");
    spawn(follows, 0, NULL, 0, NULL);
    const ocrGuid_t event = ((ocrGuid_t *)depv[1].ptr)[way];
    OK(ocrEventSatisfy(event, depv[0].guid));
    if (++begun[way] == 1)
        ways[way]();
    return NULL_GUID;
}

/* All have ended, with what they have created. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 1 + WAYS);
    CHECK_EQ(followed, WAYS);
    for (u64 way = 0; way < WAYS; way++) {
        CHECK(begun[way] >= 2);
        CHECK_EQ(number_in(depv[1 + way]), 8);
        free(malloc(way * 1000));
    }
    ocrShutdown();
    return NULL_GUID;
}

/* A finish EDT. */
static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t tmpl = template_of(late, 1, 2);
    for (u64 way = 0; way < WAYS; way++) {
        ocrGuid_t edt = edt_of(tmpl, 1, &way, 2, NULL, EDT_PROP_NONE, NULL);
        link_to(block_with(7), edt, 0, DB_MODE_RW);
        link_to(depv[0].guid, edt, 1, DB_MODE_RO);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *start;
    ocrGuid_t events = block_of(WAYS * sizeof(ocrGuid_t), &start), all;
    ocrGuid_t end = spawn(looks, 0, NULL, 1 + WAYS, NULL);
    for (u32 way = 0; way < WAYS; way++) {
        ((ocrGuid_t *)start)[way] = event_of(OCR_EVENT_ONCE_T);
        link_to(((ocrGuid_t *)start)[way], end, 1 + way, DB_MODE_CONST);
    }
    OK(ocrDbRelease(events));
    ocrGuid_t first = spawn_with(begins, 0, NULL, 1, NULL, EDT_PROP_FINISH, &all);
    link_to(all, end, 0, DB_MODE_NULL);
    link_to(events, first, 0, DB_MODE_CONST);
    return NULL_GUID;
}
