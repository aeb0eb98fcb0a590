/* fib [N]: the call tree of fib(N), an EDT for each call, under one finish scope. No cutoff, no sum.
 *
 * ns_per_edt   from the first EDT to the end of the scope */
#include "bench.h"

static u64 n;
static double begin;
static ocrGuid_t callTemplate;

static ocrGuid_t call(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    if (paramv[0] >= 2) {
        for (u64 less = 1; less <= 2; less++) {
            u64 argument = paramv[0] - less;
            MUST(ocrEdtCreate(NULL, callTemplate, EDT_PARAM_DEF, &argument, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                              NULL_HINT, NULL));
        }
    }
    return NULL_GUID;
}

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    callTemplate = template(call, 1, 0);
    begin = now();
    MUST(ocrEdtCreate(NULL, callTemplate, EDT_PARAM_DEF, &n, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}

/* Calls in the tree of fib(n). */
static u64 calls(void) {
    u64 before = 1, count = 1;
    for (u64 i = 2; i <= n; i++) {
        const u64 next = before + count + 1;
        before = count;
        count = next;
    }
    return count;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    expectEdts(calls());
    figure("ns_per_edt", (ended - begin) / (double)calls());
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    n = sizeArgument(depv, 1, 27);
    runScope(first, end);
    return NULL_GUID;
}
