/*
 * 2.8: an EDT runs once all of its dependences are met, whether they were set at its creation or added later, and never
 * before. 1.5: the four kinds of dependences: event to event, event to EDT, data block to event, data block to EDT.
 */
// clause: 2.8 1.5
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { SLOTS = 4, ROUNDS = 24 };

static atomic_ullong met[ROUNDS]; /* how many dependences of an EDT are met */

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    CHECK_EQ(atomic_load(&met[paramv[0]]), SLOTS);
    for (u32 i = 0; i < depc; i++)
        CHECK_EQ(number_in(depv[i]), 100 * paramv[0] + i);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(ROUNDS);
    /* Each order in which four dependences can be met. */
    u32 order[SLOTS] = {0, 1, 2, 3};
    for (u64 round = 0; round < ROUNDS; round++) {
        ocrGuid_t blocks[SLOTS], direct = event_of(OCR_EVENT_ONCE_T), front = event_of(OCR_EVENT_STICKY_T);
        ocrGuid_t behind = event_of(OCR_EVENT_STICKY_T), by_block = event_of(OCR_EVENT_STICKY_T), output;
        for (u32 i = 0; i < SLOTS; i++)
            blocks[i] = block_with(100 * round + i);
        /* Two at the creation, two later. */
        ocrGuid_t slots[SLOTS] = {direct, UNINITIALIZED_GUID, behind, UNINITIALIZED_GUID};
        ocrGuid_t edt = spawn_with(runs, 1, &round, SLOTS, slots, EDT_PROP_NONE, &output);
        link_to(output, last, (u32)round, DB_MODE_NULL);
        link_to(front, behind, 0, DB_MODE_NULL);
        link_to(by_block, edt, 3, DB_MODE_RO);
        for (u32 i = 0; i < SLOTS; i++) {
            atomic_fetch_add(&met[round], 1);
            switch (order[i]) {
            case 0: OK(ocrEventSatisfy(direct, blocks[0])); break;
            case 1: link_to(blocks[1], edt, 1, DB_MODE_RO); break;
            case 2: OK(ocrEventSatisfy(front, blocks[2])); break;
            case 3: link_to(blocks[3], by_block, 0, DB_MODE_NULL); break;
            }
        }
        /* The next order of these numbers. */
        int at = SLOTS - 2;
        while (at >= 0 && order[at] > order[at + 1])
            at--;
        if (at < 0)
            continue;
        int other = SLOTS - 1;
        while (order[other] < order[at])
            other--;
        u32 number = order[at];
        order[at] = order[other], order[other] = number;
        for (int low = at + 1, high = SLOTS - 1; low < high; low++, high--) {
            number = order[low];
            order[low] = order[high], order[high] = number;
        }
    }
    return NULL_GUID;
}
