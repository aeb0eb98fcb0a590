/*
 * Strict mode has nothing to say of a program that is right. Here are events of all kinds, blocks in all
 * modes, released early, shared, passed on without a release, written by one EDT after the other; finish
 * scopes; results. Everything is destroyed, so nothing is left either.
 */
// clause: application
// unordered: EDTs that nothing orders add to a block in mode RW, by atomic additions, and others look at it
// env: OCR_CHECK=leaks
#include "check.h"

enum { ROUNDS = 50 };

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK(number_in(depv[0]) >= paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    __atomic_fetch_add((u64 *)depv[0].ptr, 1, __ATOMIC_RELAXED);
    if (paramv[0] % 2) {
        OK(ocrDbRelease(depv[0].guid)); /* others may write now */
    }
    return NULL_GUID;
}

static ocrGuid_t returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr);
    *(u64 *)addr = 7; /* not released: the end of the EDT does that */
    return block;
}

static ocrGuid_t takes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++) {
        if (depv[i].ptr != NULL) {
            CHECK_EQ(number_in(depv[i]), 7);
        }
    }
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
    ocrGuid_t block = ((ocrGuid_t *)paramv)[0], templates[] = {template_of(reads, 1, 1), template_of(writes, 1, 1)};
    for (u64 i = 0; i < ROUNDS; i++) {
        ocrDbAccessMode_t mode = modes[i % 4];
        bool changes = mode == DB_MODE_RW || mode == DB_MODE_EW;
        u64 param = changes ? i / 4 : 0;
        link_to(block, edt_of(templates[changes], 1, &param, 1, NULL, EDT_PROP_NONE, NULL), 0, mode);

        ocrGuid_t done, edt, slots[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID, NULL_GUID};
        ocrGuid_t once = event_of(OCR_EVENT_ONCE_T), latch = event_of(OCR_EVENT_LATCH_T);
        ocrGuid_t taker = spawn(takes, 0, NULL, 3, slots);
        edt = spawn_with(returns, 0, NULL, 1, slots, EDT_PROP_NONE, &done);
        link_to(done, once, 0, DB_MODE_NULL);
        link_to(once, taker, 0, DB_MODE_EW);
        link_to(latch, taker, 1, DB_MODE_NULL);
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
        OK(ocrEventSatisfy(latch, NULL_GUID));
    }
    OK(ocrEdtTemplateDestroy(templates[0]));
    OK(ocrEdtTemplateDestroy(templates[1]));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t *guids = (ocrGuid_t *)paramv;
    OK(ocrDbDestroy(guids[0]));
    OK(ocrEventDestroy(guids[1]));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, guids[] = {block_with(0), event_of(OCR_EVENT_STICKY_T)};
    ocrGuid_t edt = spawn_with(all, 1, (u64 *)guids, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t end = spawn(ends, 2, (u64 *)guids, 2, NULL);
    link_to(done, end, 0, DB_MODE_NULL);
    link_to(guids[1], end, 1, DB_MODE_NULL);
    OK(ocrEventSatisfy(guids[1], NULL_GUID));
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
