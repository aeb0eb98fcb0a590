/*
 * 1.4.4 read-only: readers do not wait for a writer, held or queued. The writer here ends only when
 * a reader has run (in a program this would be blocking; it shows who waits for whom). Workers
 * beside its own take the readers, which are visible to them before the writer ends.
 */
// clause: 1.4.4
// once: an EDT waits for another by a variable
// unordered: readers that do not wait for the writer of their block
// workers: 2 8
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

static atomic_int readers;

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(depv[0].ptr != NULL);
    atomic_fetch_add(&readers, 1);
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    int before = atomic_load(&readers);
    for (int i = 0; i < 4; i++) {
        link_to(depv[0].guid, spawn(reads, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    }
    double start = seconds();
    while (atomic_load(&readers) == before) {
        CHECK(seconds() - start < 60);
        breathe();
    }
    *(u64 *)depv[0].ptr += 1;
    CHECK_EQ(*(u64 *)depv[0].ptr, paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    /* Queued writers behind the one that holds it: the readers of the first pass these too. */
    ocrGuid_t tmpl = template_of(writes, 1, 1), block = ((ocrGuid_t *)paramv)[0];
    for (u64 i = 1; i <= 20; i++) {
        link_to(block, edt_of(tmpl, 1, &i, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[1]), 20);
    CHECK_EQ(atomic_load(&readers), 80);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(0), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(all, 1, (u64 *)&block, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {done, block};
    spawn(ends, 0, NULL, 2, slots);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
