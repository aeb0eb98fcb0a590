/*
 * EDTs that want several blocks exclusively, named in any order, never deadlock: five philosophers,
 * each with forks in opposite slots to its neighbour; then many EDTs with eight blocks of 64.
 */
// clause: 1.4.4
#include "check.h"

enum { SEATS = 5, BLOCKS = 64, WANTED = 8 };

static ocrGuid_t eats(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (int i = 0; i < 2; i++) {
        *(u64 *)depv[i].ptr += 1;
    }
    u64 next = paramv[0] - 1;
    if (next > 0) {
        /* Hungry again, with the forks in the same hands, before these are put down. */
        ocrGuid_t edt = spawn(eats, 1, &next, 2, NULL);
        link_to(depv[0].guid, edt, 0, DB_MODE_EW);
        link_to(depv[1].guid, edt, 1, DB_MODE_EW);
    }
    return NULL_GUID;
}

static ocrGuid_t table(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t *forks = (ocrGuid_t *)(paramv + 1);
    for (int i = 0; i < SEATS; i++) {
        ocrGuid_t edt = spawn(eats, 1, &paramv[0], 2, NULL);
        link_to(forks[i], edt, (u32)(i % 2), DB_MODE_EW);
        link_to(forks[(i + 1) % SEATS], edt, (u32)(1 - i % 2), DB_MODE_EW);
    }
    return NULL_GUID;
}

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++) {
        *(u64 *)depv[i].ptr += 1;
    }
    return NULL_GUID;
}

static ocrGuid_t crowd(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t *blocks = (ocrGuid_t *)(paramv + 1), tmpl = template_of(adds, 0, WANTED);
    u64 seed = 42;
    for (u64 n = 0; n < paramv[0]; n++) {
        int order[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
            order[i] = i;
        }
        ocrGuid_t edt = edt_of(tmpl, 0, NULL, WANTED, NULL, EDT_PROP_NONE, NULL);
        for (int i = 0; i < WANTED; i++) {
            int k = i + (int)(next_random(&seed) >> 33) % (BLOCKS - i), pick = order[k];
            order[k] = order[i];
            link_to(blocks[pick], edt, (u32)i, DB_MODE_EW);
        }
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t total(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    u64 sum = 0;
    for (u32 i = 1; i < depc; i++) {
        sum += number_in(depv[i]);
        if (paramv[1] > 0) {
            CHECK_EQ(number_in(depv[i]), paramv[1]);
        }
    }
    CHECK_EQ(sum, paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t part(ocrEdt_t function, u64 rounds, u32 count, u64 sum, u64 each) {
    u64 args[1 + BLOCKS];
    ocrGuid_t slots[1 + BLOCKS], hold = UNINITIALIZED_GUID, done, finished;
    args[0] = rounds;
    for (u32 i = 1; i <= count; i++) {
        slots[i] = block_with(0);
        args[i] = *(u64 *)&slots[i];
    }
    ocrGuid_t edt = spawn_with(function, 1 + count, args, 1, &hold, EDT_PROP_FINISH, &done);
    u64 want[] = {sum, each};
    slots[0] = done;
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    spawn_with(total, 2, want, 1 + count, slots, EDT_PROP_NONE, &finished);
    link_to(finished, sticky, 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return sticky;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 rounds = scaled(20000), edts = scaled(20000);
    ocrGuid_t last = end_after(2);
    link_to(part(table, rounds, SEATS, 2 * rounds * SEATS, 2 * rounds), last, 0, DB_MODE_NULL);
    link_to(part(crowd, edts, BLOCKS, WANTED * edts, 0), last, 1, DB_MODE_NULL);
    return NULL_GUID;
}
