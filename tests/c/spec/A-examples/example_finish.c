/*
 * A.4: recursion that writes into one block: each half is sorted by a finish EDT, whose output event comes when all
 * that it has created has ended, and then both halves are merged.
 */
// clause: A.4
#include "check.h"

enum { NUMBERS = 1024, SMALL = 16 };

static int compares(const void *a, const void *b) {
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

/* paramv: where the part begins, how many numbers it has. */
static ocrGuid_t merges(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *part = (u64 *)depv[0].ptr + paramv[0], half = paramv[1] / 2, merged[NUMBERS];
    for (u64 n = 0, low = 0, high = half; n < paramv[1]; n++) {
        bool takes_low = high == paramv[1] || (low < half && part[low] <= part[high]);
        merged[n] = takes_low ? part[low++] : part[high++];
    }
    memcpy(part, merged, paramv[1] * sizeof(u64));
    return NULL_GUID;
}

static ocrGuid_t sorts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 half = paramv[1] / 2;
    if (paramv[1] <= SMALL) {
        qsort((u64 *)depv[0].ptr + paramv[0], paramv[1], sizeof(u64), compares);
        return NULL_GUID;
    }
    ocrGuid_t merge = spawn(merges, 2, paramv, 3, NULL);
    for (u32 i = 0; i < 2; i++) {
        ocrGuid_t output;
        u64 part[] = {paramv[0] + i * half, half};
        ocrGuid_t edt = spawn_with(sorts, 2, part, 1, NULL, EDT_PROP_FINISH, &output);
        link_to(output, merge, 1 + i, DB_MODE_NULL);
        link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    }
    link_to(depv[0].guid, merge, 0, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u64 i = 0; i < NUMBERS; i++)
        CHECK_EQ(((u64 *)depv[0].ptr)[i], i);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t output, block = block_of(NUMBERS * sizeof(u64), &addr);
    for (u64 i = 0; i < NUMBERS; i++)
        ((u64 *)addr)[i] = i * 389 % NUMBERS; /* each once, as 389 is odd */
    OK(ocrDbRelease(block));
    u64 all[] = {0, NUMBERS};
    ocrGuid_t last = spawn(looks, 0, NULL, 2, NULL);
    ocrGuid_t edt = spawn_with(sorts, 2, all, 1, NULL, EDT_PROP_FINISH, &output);
    link_to(output, last, 1, DB_MODE_NULL);
    link_to(block, last, 0, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
