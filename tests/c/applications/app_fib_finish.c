/* Fibonacci by finish scopes: each call writes its result into a block that its caller made. */
// clause: application
#include "check.h"

static ocrGuid_t fib(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* Adds what the two calls of the scope have left. */
static ocrGuid_t sum(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = number_in(depv[1]) + number_in(depv[2]);
    OK(ocrDbDestroy(depv[1].guid));
    OK(ocrDbDestroy(depv[2].guid));
    return NULL_GUID;
}

static ocrGuid_t calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = 0; i < 2; i++) {
        u64 n = paramv[0] - 1 - i;
        spawn(fib, 1, &n, 1, &depv[i].guid);
    }
    return NULL_GUID;
}

static ocrGuid_t fib(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] < 2) {
        *(u64 *)depv[0].ptr = paramv[0];
        return NULL_GUID;
    }
    ocrGuid_t parts[2], done;
    for (int i = 0; i < 2; i++) {
        void *addr = &done;
        OK(ocrDbCreate(&parts[i], &addr, sizeof(u64), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
        CHECK(addr == NULL);
    }
    ocrGuid_t open[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    ocrGuid_t edt = spawn_with(calls, 1, paramv, 2, open, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {depv[0].guid, parts[0], parts[1], done};
    spawn(sum, 0, NULL, 4, slots);
    link_to(parts[0], edt, 0, DB_MODE_RW);
    link_to(parts[1], edt, 1, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t check_result(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 n = small_run() ? 12 : 20, want = small_run() ? 144 : 6765;
    ocrGuid_t result = block_with(0), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(fib, 1, &n, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {result, done};
    spawn(check_result, 1, &want, 2, slots);
    link_to(result, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
