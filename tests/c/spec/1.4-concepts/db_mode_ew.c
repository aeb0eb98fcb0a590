/* 1.4.4 exclusive write: one EDT at a time, no increment is lost, early and late releases alike. */
// clause: 1.4.4
#include "check.h"
#include <stdatomic.h>

static atomic_int inside;

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *counter = (u64 *)depv[0].ptr;
    CHECK_EQ(atomic_fetch_add(&inside, 1), 0);
    u64 seen = counter[0];
    if (paramv[0] % 16 == 0) {
        sched_yield();
    }
    counter[0] = seen + 1;
    counter[1] += paramv[0];
    CHECK_EQ(atomic_fetch_sub(&inside, 1), 1);
    if (paramv[0] % 3 == 0) {
        OK(ocrDbRelease(depv[0].guid));
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = ((ocrGuid_t *)paramv)[0];
    ocrGuid_t tmpl = template_of(adds, 1, 1);
    for (u64 i = 0; i < paramv[1]; i++) {
        ocrGuid_t edt = edt_of(tmpl, 1, &i, 1, NULL, EDT_PROP_NONE, NULL);
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t total(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 n = paramv[0];
    CHECK_EQ(((u64 *)depv[1].ptr)[0], n);
    CHECK_EQ(((u64 *)depv[1].ptr)[1], n * (n - 1) / 2);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(2 * sizeof(u64), &addr), done, hold = UNINITIALIZED_GUID;
    memset(addr, 0, 2 * sizeof(u64));
    u64 n = scaled(20000), args[] = {*(u64 *)&block, n};
    ocrGuid_t edt = spawn_with(all, 2, args, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {done, block};
    spawn(total, 1, &n, 2, slots);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
