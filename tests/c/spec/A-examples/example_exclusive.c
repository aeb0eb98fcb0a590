/*
 * A.6: two EDTs share a block in mode RW, each with a half of its own, and one has it in mode EW: that one runs before,
 * between or behind the others, but while it runs no other EDT writes the block.
 */
// clause: A.6
// unordered: the EDT in mode EW runs before, between or behind those in mode RW, as the example has it
#include "check.h"

enum { HALF = 2000, ROUNDS = 20 };

/* Adds 1 to each number of its half, from its start to its end. */
static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *half = (u64 *)depv[0].ptr + paramv[0] * HALF;
    for (u64 i = 0; i < HALF; i++)
        half[i]++;
    return NULL_GUID;
}

/* Each half has the same number everywhere, since who adds is not amid it. Doubles all. */
static ocrGuid_t doubles(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 *numbers = depv[0].ptr;
    for (u64 i = 0; i < 2 * HALF; i++)
        CHECK_EQ(numbers[i], numbers[i / HALF * HALF]);
    for (u64 i = 0; i < 2 * HALF; i++)
        numbers[i] *= 2;
    return NULL_GUID;
}

/* A half had 1 to begin with: 2 * 1 + 1, or 2 * (1 + 1). */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 *numbers = depv[0].ptr;
    for (u64 i = 0; i < 2 * HALF; i++) {
        CHECK(numbers[i] == 3 || numbers[i] == 4);
        CHECK_EQ(numbers[i], numbers[i / HALF * HALF]);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(ROUNDS);
    for (u32 round = 0; round < ROUNDS; round++) {
        void *addr;
        ocrGuid_t block = block_of(2 * HALF * sizeof(u64), &addr), start = event_of(OCR_EVENT_STICKY_T), ended;
        for (u64 i = 0; i < 2 * HALF; i++)
            ((u64 *)addr)[i] = 1;
        OK(ocrDbRelease(block));
        ocrGuid_t look = spawn_with(looks, 0, NULL, 4, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, round, DB_MODE_NULL);
        for (u32 i = 0; i < 3; i++) {
            u64 half = i;
            ocrGuid_t output, edt = spawn_with(i < 2 ? adds : doubles, 1, &half, 2, NULL, EDT_PROP_NONE, &output);
            link_to(output, look, 1 + i, DB_MODE_NULL);
            link_to(block, edt, 0, i < 2 ? DB_MODE_RW : DB_MODE_EW);
            link_to(start, edt, 1, DB_MODE_NULL);
        }
        link_to(block, look, 0, DB_MODE_RO);
        OK(ocrEventSatisfy(start, NULL_GUID));
    }
    return NULL_GUID;
}
