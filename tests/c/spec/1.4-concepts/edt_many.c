/*
 * A million EDTs in chains, a window of a few thousand alive at a time, each with a parameter, a
 * slot and an output event: memory does not grow, and the number that ran is exact.
 */
// clause: 1.4.2 2.7.3
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { CHAINS = 2000 };
static atomic_long ran;
static u64 base_kib;

static ocrGuid_t link_of_chain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    long count = atomic_fetch_add(&ran, 1) + 1;
    if (count == (long)paramv[2]) {
        base_kib = resident_kib(); /* a tenth of the way */
    }
    if (paramv[0] > 0) {
        u64 args[] = {paramv[0] - 1, paramv[1], paramv[2]};
        ocrGuid_t output, edt = edt_of(((ocrGuid_t *)paramv)[1], 3, args, 1, NULL, EDT_PROP_NONE, &output);
        ocrGuid_t once = event_of(OCR_EVENT_ONCE_T);
        link_to(output, once, 0, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t starts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 length = scaled(1000000) / CHAINS;
    ocrGuid_t tmpl = template_of(link_of_chain, 3, 1);
    for (int i = 0; i < CHAINS; i++) {
        u64 args[] = {length, *(u64 *)&tmpl, CHAINS * (length + 1) / 10 + 1};
        ocrGuid_t slot = NULL_GUID;
        edt_of(tmpl, 3, args, 1, &slot, EDT_PROP_NONE, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&ran), CHAINS * (scaled(1000000) / CHAINS + 1));
    CHECK(grown_less(base_kib, 32 * 1024));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(starts, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(ends, 0, NULL, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
