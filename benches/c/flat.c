/* flat [EDTS]: a program that lives long: a thousand chains of EDTs under one finish scope, in which each EDT destroys
 * the block that it is given, creates another, the next EDT and the event that this waits for, satisfies that with the
 * block, and ends. However many run, a thousand are alive.
 *
 * ns_per_edt      an EDT with its block and its event
 * mb_first        resident memory of the process when the first chain has ended, in 2^20 bytes
 * mb_most         the most at the end of a chain */
#include "bench.h"

#include <stdatomic.h>

enum { CHAINS = 1000, BLOCK = 64 };

static u64 length;
static double begin, resident[CHAINS]; /* when each chain has ended */
static atomic_uint chainsEnded;
static ocrGuid_t linkTemplate;

static void next(u64 chain, u64 left) {
    u64 params[2] = { chain, left };
    ocrGuid_t event, block;
    void *address;
    MUST(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG));
    MUST(ocrEdtCreate(NULL, linkTemplate, EDT_PARAM_DEF, params, EDT_PARAM_DEF, &event, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    MUST(ocrDbCreate(&block, &address, BLOCK, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *(u64 *)address = left;
    MUST(ocrDbRelease(block));
    MUST(ocrEventSatisfy(event, block));
}

static ocrGuid_t chainLink(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    EXPECT(*(u64 *)depv[0].ptr == paramv[1]);
    MUST(ocrDbDestroy(depv[0].guid));
    if (paramv[1] != 0)
        next(paramv[0], paramv[1] - 1);
    else
        resident[atomic_fetch_add(&chainsEnded, 1)] = residentBytes();
    return NULL_GUID;
}

static ocrGuid_t build(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    linkTemplate = template(chainLink, 2, 1);
    begin = now();
    for (u64 chain = 0; chain < CHAINS; chain++)
        next(chain, length);
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now(), mb = 1 << 20;
    double most = 0;
    UNUSED;
    for (int i = 0; i < CHAINS; i++)
        most = resident[i] > most ? resident[i] : most;
    figure("ns_per_edt", (ended - begin) / (double)(CHAINS * (length + 1)));
    figure("mb_first", resident[0] / mb);
    figure("mb_most", most / mb);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    length = sizeArgument(depv, 1, 10000000) / CHAINS;
    runScope(build, end);
    return NULL_GUID;
}
