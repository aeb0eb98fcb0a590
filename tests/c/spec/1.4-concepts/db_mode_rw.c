/*
 * 1.4.4 read-write: EDTs share the block; 1.6.2: unordered writes to different 8-byte words all
 * appear. RW excludes EW: a pass of exclusive writers in between sees whole rounds only.
 */
// clause: 1.4.4
#include "check.h"

enum { WORDS = 4096, WRITERS = 256, ROUNDS = 20 };

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = paramv[0]; i < WORDS; i += WRITERS) {
        ((u64 *)depv[0].ptr)[i] += paramv[1] * (i + 1);
    }
    return NULL_GUID;
}

static ocrGuid_t writers(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = 0; i < WRITERS; i++) {
        u64 args[] = {i, paramv[0]};
        spawn(writes, 2, args, 1, &depv[0].guid);
    }
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 round = paramv[0], sum = round * (round + 1) / 2;
    for (u64 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u64 *)depv[0].ptr)[i], sum * (i + 1));
    }
    if (round == ROUNDS) {
        ocrShutdown();
        return NULL_GUID;
    }
    round++;
    OK(ocrDbRelease(depv[0].guid));
    ocrGuid_t done, hold[] = {UNINITIALIZED_GUID};
    ocrGuid_t edt = spawn_with(writers, 1, &round, 1, hold, EDT_PROP_FINISH, &done);
    ocrGuid_t next = spawn(checks, 1, &round, 2, NULL);
    link_to(depv[0].guid, next, 0, DB_MODE_EW);
    link_to(done, next, 1, DB_MODE_NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(WORDS * sizeof(u64), &addr);
    memset(addr, 0, WORDS * sizeof(u64));
    OK(ocrDbRelease(block));
    u64 round = 0;
    ocrGuid_t slots[] = {block, NULL_GUID};
    spawn(checks, 1, &round, 2, slots);
    return NULL_GUID;
}
