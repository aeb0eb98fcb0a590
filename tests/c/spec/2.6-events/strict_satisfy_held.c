/* Strict mode reports no EDT that passes on a block that it holds and does not write, or not through an event that
 * passes it on, or not before it was released. */
// clause: 2.6.3
// env: OCR_CHECK=strict
#include "strict.h"

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    __atomic_fetch_add((u64 *)depv[0].ptr, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 1; i < depc; i++)
        if (i != 3)
            CHECK(number_in(depv[i]) >= 1);
    ocrShutdown();
    return NULL_GUID;
}

/* Its blocks: one in RW mode, of others beside it; one in EW mode; one in RO mode. */
static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t *events = (ocrGuid_t *)paramv;
    void *addr;
    ocrGuid_t made = block_of(sizeof(u64), &addr), linked = block_of(sizeof(u64), (void **)&addr);
    u64 *number = addr;
    /* a latch event ignores the block */
    OK(ocrEventSatisfySlot(events[3], depv[1].guid, OCR_EVENT_LATCH_DECR_SLOT));
    /* linked before it is written; the EDT waits for another event, too */
    link_to(linked, *(ocrGuid_t *)&paramv[4], 4, DB_MODE_RO);
    *number = 1;
    OK(ocrDbRelease(linked));
    for (u32 i = 0; i < 3; i++)
        OK(ocrEventSatisfy(events[i], depv[i].guid));
    OK(ocrDbDestroy(made));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t params[5], blocks[] = {block_with(1), block_with(1), block_with(1)}, edt;
    ocrDbAccessMode_t modes[] = {DB_MODE_RW, DB_MODE_EW, DB_MODE_RO};
    params[4] = EDT(ends, 0, NULL, 5, NULL);
    for (u32 i = 0; i < 3; i++) {
        params[i] = event_of(OCR_EVENT_STICKY_T);
        link_to(params[i], params[4], i, i == 1 ? DB_MODE_EW : DB_MODE_RW);
    }
    params[3] = event_of(OCR_EVENT_LATCH_T);
    link_to(params[3], params[4], 3, DB_MODE_NULL);
    OK(ocrEventSatisfySlot(params[3], NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    edt = EDT(passes, 5, (u64 *)params, 3, NULL);
    for (u32 i = 0; i < 20; i++)
        EDT(adds, 0, NULL, 1, blocks);
    for (u32 i = 0; i < 3; i++)
        link_to(blocks[i], edt, i, modes[i]);
    return NULL_GUID;
}
