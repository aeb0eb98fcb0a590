/*
 * A block's queue is first come, first served. Exclusive writers queued behind the creator run in
 * the order they came; a writer is not starved by CONST readers each of which, while it holds the
 * block, calls for the next one.
 */
// clause: 1.4.4
// one-node: EDTs of one node have a block one after the other, and those of another one later
#include "check.h"
#include <stdatomic.h>

static atomic_int writer_waits, writer_ran;

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 passed = paramv[0] + (atomic_load(&writer_waits) ? 1 : 0);
    if (atomic_load(&writer_ran)) {
        ocrShutdown();
        return NULL_GUID;
    }
    /* The readers that came before the writer may still pass, not an endless line of later ones. */
    CHECK(passed < 1000);
    link_to(depv[0].guid, spawn(reads, 1, &passed, 1, NULL), 0, DB_MODE_CONST);
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_store(&writer_ran, 1);
    return NULL_GUID;
}

static ocrGuid_t calls_writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    link_to(depv[0].guid, spawn(writes, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    atomic_store(&writer_waits, 1);
    u64 passed = 0;
    link_to(depv[0].guid, spawn(reads, 1, &passed, 1, NULL), 0, DB_MODE_CONST);
    return NULL_GUID;
}

static ocrGuid_t in_order(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *turn = (u64 *)depv[0].ptr;
    CHECK_EQ(*turn, paramv[0]);
    *turn += 1;
    return NULL_GUID;
}

static ocrGuid_t second_part(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    ocrGuid_t block = block_with(0);
    link_to(block, spawn(calls_writer, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr);
    *(u64 *)addr = 0;
    u64 n = 1000;
    for (u64 i = 0; i < n; i++) {
        link_to(block, spawn(in_order, 1, &i, 1, NULL), 0, DB_MODE_EW);
    }
    link_to(block, spawn(second_part, 1, &n, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
