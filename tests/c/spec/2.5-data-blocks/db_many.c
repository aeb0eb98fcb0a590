/* A million blocks made and destroyed, by their maker and by others: memory does not grow. */
// clause: 2.5.1 2.5.2
#include "check.h"

enum { BATCH = 1000 };

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 3);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t batch(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < BATCH; i++) {
        void *addr;
        ocrGuid_t block = block_of(8 + i % 5 * 100, &addr);
        *(u64 *)addr = 3;
        if (i % 2) {
            OK(ocrDbDestroy(block));
        } else {
            OK(ocrDbRelease(block));
            link_to(block, spawn(destroys, 0, NULL, 1, NULL), 0, DB_MODE_RO);
        }
    }
    return NULL_GUID;
}

static ocrGuid_t rounds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 round = paramv[0], total = scaled(1000000) / BATCH, base = paramv[1];
    if (round == total / 10) {
        base = resident_kib();
    }
    if (round == total) {
        CHECK(grown_less(base, 32 * 1024));
        ocrShutdown();
        return NULL_GUID;
    }
    u64 args[] = {round + 1, base};
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(batch, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(rounds, 2, args, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 args[] = {0, 0};
    ocrGuid_t none = NULL_GUID;
    spawn(rounds, 2, args, 1, &none);
    return NULL_GUID;
}
