/*
 * 2.5.2: a block destroyed while another EDT holds it stays until that one has released it; a
 * second destroy meanwhile is OCR_EPERM; the holder's end frees it.
 */
// clause: 2.5.2 1.4
// once: what a call returns depends on when other EDTs have destroyed the block
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { SIZE = 1 << 20, ROUNDS = 50 };
static atomic_int destroyed;

static ocrGuid_t holder(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = ((ocrGuid_t *)paramv)[1];
    u8 code = ocrDbDestroy(block);
    /* The holder destroys it too, sooner or later than this one; by then it may be long gone. */
    CHECK(code == 0 || code == OCR_EPERM || code == OCR_EINVAL);
    atomic_fetch_add(&destroyed, code == 0);
    return NULL_GUID;
}

static ocrGuid_t new_round(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&destroyed), paramv[0]);
    if (paramv[0] == ROUNDS) {
        ocrShutdown();
        return NULL_GUID;
    }
    void *addr;
    ocrGuid_t block = block_of(SIZE, &addr), done, hold = UNINITIALIZED_GUID;
    memset(addr, (int)paramv[0] + 1, SIZE);
    OK(ocrDbRelease(block));
    u64 next = paramv[0] + 1;
    ocrGuid_t edt = spawn_with(holder, 1, &paramv[0], 1, &hold, EDT_PROP_FINISH, &done);
    spawn(new_round, 1, &next, 1, &done);
    link_to(block, edt, 0, paramv[0] % 2 ? DB_MODE_EW : DB_MODE_CONST);
    return NULL_GUID;
}

static ocrGuid_t holder(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 round = paramv[0], args[] = {round, *(u64 *)&depv[0].guid};
    for (int i = 0; i < 3; i++) {
        spawn(destroys, 2, args, 0, NULL);
    }
    /* With a single worker no EDT destroys it meanwhile: look for a while, require nothing. */
    double start = seconds();
    while (atomic_load(&destroyed) == (int)round && seconds() - start < 0.005) {
        breathe();
    }
    /* Blocks made in the meantime do not get its memory. */
    for (int i = 0; i < 4; i++) {
        void *addr;
        ocrGuid_t other = block_of(SIZE, &addr);
        memset(addr, 0, SIZE);
        OK(ocrDbDestroy(other));
    }
    for (u64 i = 0; i < SIZE; i++) {
        CHECK_EQ(((unsigned char *)depv[0].ptr)[i], round + 1);
    }
    u8 code = ocrDbDestroy(depv[0].guid);
    CHECK(code == 0 || code == OCR_EPERM);
    atomic_fetch_add(&destroyed, code == 0);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 round = 0;
    spawn(new_round, 1, &round, 0, NULL);
    return NULL_GUID;
}
