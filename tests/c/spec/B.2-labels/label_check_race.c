/*
 * One EDT destroys the block on a label, and both create the next there with GUID_PROP_CHECK: one gets it, the other
 * learns that there is one, and waits for nothing.
 */
// clause: B.2.3
// workers: 2 8
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-labeling.h>
#include <stdatomic.h>

static ocrGuid_t label;
static atomic_long met;
static u8 answers[2];

static long rounds(void) { return small_run() ? 200 : 4096; }

static void meet(long times) {
    met++;
    /* Where there is no core for both, the other one is to have this one's. */
    for (int looks = 0; met < 2 * times; looks++)
        if (looks > 10000)
            sched_yield();
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const u64 me = paramv[0];
    for (long round = 0; round < rounds(); round++) {
        ocrGuid_t guid = label;
        void *address;
        meet(2 * round + 1);
        if (me == 0)
            OK(ocrDbDestroy(label));
        for (volatile long wait = me == 0 ? 0 : round % 256; wait > 0; wait--)
            ;
        answers[me] = ocrDbCreate(&guid, &address, 64, GUID_PROP_CHECK | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC);
        meet(2 * round + 2);
        /* The other may have looked before the first was gone. */
        CHECK(answers[me] == 0 || answers[me] == OCR_EGUIDEXISTS);
        CHECK(answers[0] == 0 || answers[1] == 0);
        CHECK(answers[0] != answers[1]);
    }
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, done[2];
    void *address;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 0));
    ocrGuid_t guid = label;
    OK(ocrDbCreate(&guid, &address, 64, GUID_PROP_IS_LABELED | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    ocrGuid_t edts[2], hold = UNINITIALIZED_GUID;
    for (u64 me = 0; me < 2; me++)
        edts[me] = spawn_with(creates, 1, &me, 1, &hold, EDT_PROP_NONE, &done[me]);
    spawn(ends, 0, NULL, 2, done);
    link_to(NULL_GUID, edts[0], 0, DB_MODE_NULL);
    link_to(NULL_GUID, edts[1], 0, DB_MODE_NULL);
    return NULL_GUID;
}
