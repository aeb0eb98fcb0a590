/*
 * EDTs that wait in a call while workers give up their seats: each goes on when what it waits for has come, none is
 * lost, and in the end no more EDTs run at a time than there are workers left.
 */
// clause: process ocr-variants.h ocr-legacy.h
// needs: opencl
// workers: 2
// env: OCR_BIND=fixed
#include "kernel_cores.h"
#include <extensions/ocr-legacy.h>
#include <stdatomic.h>

enum { RUNS = 8, WAITERS = 24, ROUNDS = 3, LATER = 200 };

static atomic_int waiting, answered, at_work, most;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* Waits for an EDT, several times. */
static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, slot, tmpl = template_of(nothing, 0, 1);
    atomic_fetch_add(&waiting, 1);
    for (int round = 0; round < ROUNDS; round++) {
        OK(ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 1, &slot, NULL_GUID));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
        OK(ocrEventDestroy(handle));
        atomic_fetch_add(&answered, 1);
    }
    return NULL_GUID;
}

/* Has the limit of the workers fall while others wait. */
static ocrGuid_t limits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    with_kernel(twice);
    return NULL_GUID;
}

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    int now = atomic_fetch_add(&at_work, 1) + 1;
    for (int seen = atomic_load(&most); now > seen && !atomic_compare_exchange_weak(&most, &seen, now);) {
    }
    sched_yield();
    atomic_fetch_sub(&at_work, 1);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(atomic_load(&most) > 0 && (u64)atomic_load(&most) <= ocrNbWorkers());
    ocrShutdown();
    return NULL_GUID;
}

/* Everybody has come back, and the EDTs that waited have ended. */
static ocrGuid_t later(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&answered), WAITERS * ROUNDS);
    CHECK_EQ(ocrNbWorkers(), expect_apart());
    ocrGuid_t done, last = edt_of(template_of(ends, 0, LATER), 0, NULL, LATER, NULL, EDT_PROP_NONE, NULL);
    for (u32 i = 0; i < LATER; i++) {
        ocrGuid_t hold = UNINITIALIZED_GUID;
        ocrGuid_t edt = spawn_with(works, 0, NULL, 1, &hold, EDT_PROP_NONE, &done);
        link_to(done, last, i, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = spawn(later, 0, NULL, WAITERS + 1, NULL), done;
    for (u32 i = 0; i <= WAITERS; i++) {
        ocrGuid_t hold = UNINITIALIZED_GUID;
        ocrGuid_t edt = spawn_with(i == WAITERS / 2 ? limits : waits, 0, NULL, 1, &hold, EDT_PROP_NONE, &done);
        link_to(done, last, i, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}

int main(void) {
    need_cores();
    unsetenv("OCR_WORKERS");
    for (int run = 0; run < RUNS; run++) {
        ocrConfig_t config = {0, NULL, NULL};
        ocrGuid_t context;
        atomic_store(&answered, 0);
        atomic_store(&most, 0);
        ocrLegacyInit(&context, &config);
        spawn(begins, 0, NULL, 0, NULL);
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    }
    return 0;
}
