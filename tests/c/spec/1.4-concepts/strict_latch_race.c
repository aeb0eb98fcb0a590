/*
 * Strict mode: two EDTs create latch events on the same labels. Who comes second uses one before the first one's call
 * has returned; that it writes the block later is no misuse, as a latch event ignores what it is satisfied with.
 */
// clause: 1.4.3.1
// env: OCR_CHECK=strict
// workers: 2 8
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { LABELS = 6000 };

static ocrGuid_t range;
static u64 at[2];

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const u64 me = paramv[0];
    for (u64 i = 0; i < scaled(LABELS); i++) {
        ocrGuid_t event;
        void *address;
        OK(ocrGuidFromIndex(&event, range, i));
        const ocrGuid_t block = block_of(8, &address);
        *(u64 *)address = 1;
        __atomic_store_n(&at[me], i + 1, __ATOMIC_SEQ_CST);
        for (int looks = 0; __atomic_load_n(&at[!me], __ATOMIC_SEQ_CST) < i + 1; looks++)
            if (looks > 2000)
                sched_yield();
        const u8 status = ocrEventCreate(&event, OCR_EVENT_LATCH_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
        CHECK(status == 0 || status == OCR_EGUIDEXISTS);
        OK(ocrEventSatisfySlot(event, block, OCR_EVENT_LATCH_INCR_SLOT));
        *(u64 *)address = 2;
        OK(ocrDbDestroy(block));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t open = UNINITIALIZED_GUID, ended, edts[2], end = end_after(2);
    OK(ocrGuidRangeCreate(&range, LABELS, GUID_USER_EVENT_LATCH));
    for (u64 i = 0; i < 2; i++) {
        edts[i] = spawn_with(runs, 1, &i, 1, &open, EDT_PROP_NONE, &ended);
        link_to(ended, end, i, DB_MODE_NULL);
    }
    for (int i = 0; i < 2; i++)
        link_to(NULL_GUID, edts[i], 0, DB_MODE_NULL);
    return NULL_GUID;
}
