/*
 * 2.5.3: ocrDbRelease lets the next EDT go on while the releasing one still runs. The one that
 * released ends only when the next has run: an EDT made runnable by a running one does not wait for
 * its end as long as another worker is idle.
 */
// clause: 2.5.3
// once: an EDT waits for another by a variable
// workers: 2 8
// one-node: EDTs of one node have a block one after the other, and those of another one later
#include "check.h"
#include <stdatomic.h>

static atomic_int turns;

static ocrGuid_t takes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *number = (u64 *)depv[0].ptr;
    CHECK_EQ(*number, paramv[0]);
    *number += 1;
    OK(ocrDbRelease(depv[0].guid));
    atomic_fetch_add(&turns, 1);
    double start = seconds();
    while (paramv[0] % 2 == 0 && atomic_load(&turns) < (int)paramv[0] + 2) {
        CHECK(seconds() - start < 60);
        breathe();
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u64 i = 0; i < 20; i++) {
        link_to(depv[0].guid, spawn(takes, 1, &i, 1, NULL), 0, DB_MODE_EW);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, edt = spawn_with(all, 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    link_to(block_with(0), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
