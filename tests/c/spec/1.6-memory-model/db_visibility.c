/*
 * 1.6.2: what an EDT wrote is seen by those that come after it: after release and satisfy
 * (ping-pong within running EDTs), and without any release by those that depend on its output
 * event, its block, or an event that it satisfied.
 */
// clause: 1.6.2
// deviates: 1.6.2
#include "check.h"

enum { WORDS = 1000 };

static void fill(void *ptr, u64 value) {
    for (u64 i = 0; i < WORDS; i++) {
        ((u64 *)ptr)[i] = value + i;
    }
}

static void expect(void *ptr, u64 value) {
    for (u64 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u64 *)ptr)[i], value + i);
    }
}

/* param 0: rounds left; param 1: the event of the end. Each hands both blocks on in another way. */
static ocrGuid_t player(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 left = paramv[0];
    expect(depv[0].ptr, left);
    expect(depv[1].ptr, left);
    if (left == 0) {
        OK(ocrEventSatisfy(((ocrGuid_t *)paramv)[1], NULL_GUID));
        return NULL_GUID;
    }
    left--;
    u64 args[] = {left, paramv[1]};
    ocrDbAccessMode_t mode = left % 2 ? DB_MODE_EW : DB_MODE_RW;
    if (left % 3 == 0) {
        /* Released, then an event satisfied with it. */
        ocrGuid_t next = spawn(player, 2, args, 2, NULL);
        for (u32 i = 0; i < 2; i++) {
            ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
            link_to(event, next, i, mode);
            fill(depv[i].ptr, left);
            OK(ocrDbRelease(depv[i].guid));
            OK(ocrEventSatisfy(event, depv[i].guid));
        }
        return NULL_GUID;
    }
    if (left % 3 == 1) {
        /* Not released: written before the dependences are added. */
        fill(depv[0].ptr, left);
        fill(depv[1].ptr, left);
        ocrGuid_t next = spawn(player, 2, args, 2, NULL);
        link_to(depv[0].guid, next, 0, mode);
        link_to(depv[1].guid, next, 1, mode);
        return NULL_GUID;
    }
    /* Returned by another EDT that writes to its last moment. */
    ocrGuid_t next = spawn(player, 2, args, 2, NULL);
    ocrGuid_t end_of_this = event_of(OCR_EVENT_STICKY_T);
    link_to(end_of_this, next, 0, mode);
    link_to(depv[1].guid, next, 1, DB_MODE_EW); /* waits for this EDT's hold to end, in any mode */
    fill(depv[1].ptr, left);
    fill(depv[0].ptr, left);
    OK(ocrDbRelease(depv[0].guid));
    OK(ocrEventSatisfy(end_of_this, depv[0].guid));
    OK(ocrEventDestroy(end_of_this));
    return NULL_GUID;
}

static ocrGuid_t writes_and_returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    fill(depv[0].ptr, paramv[0]);
    return depv[0].guid;
}

static ocrGuid_t expects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    expect(depv[0].ptr, paramv[0]);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t new_block(u64 value) {
    void *addr;
    ocrGuid_t block = block_of(WORDS * sizeof(u64), &addr);
    fill(addr, value);
    OK(ocrDbRelease(block));
    return block;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { PAIRS = 4, PRODUCERS = 100 };
    ocrGuid_t last = end_after(PAIRS + PRODUCERS);
    for (u32 i = 0; i < PAIRS; i++) {
        u64 rounds = 300;
        ocrGuid_t ended = event_of(OCR_EVENT_ONCE_T);
        link_to(ended, last, i, DB_MODE_NULL);
        u64 args[] = {rounds, *(u64 *)&ended};
        ocrGuid_t edt = spawn(player, 2, args, 2, NULL);
        link_to(new_block(rounds), edt, 0, DB_MODE_EW);
        link_to(new_block(rounds), edt, 1, DB_MODE_EW);
    }
    for (u64 i = 0; i < PRODUCERS; i++) {
        ocrGuid_t output, ended, hold = UNINITIALIZED_GUID;
        ocrGuid_t producer = spawn_with(writes_and_returns, 1, &i, 1, &hold, EDT_PROP_NONE, &output);
        ocrGuid_t consumer = spawn_with(expects, 1, &i, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)(PAIRS + i), DB_MODE_NULL);
        link_to(output, consumer, 0, DB_MODE_CONST);
        link_to(new_block(12345), producer, 0, DB_MODE_RW);
    }
    return NULL_GUID;
}
