/* A.2: two EDTs that may run side by side, and a third one that gets what both have made, and ends the program. */
// clause: A.2
#include "check.h"

/* The sum of the numbers below paramv[0], or their squares. */
static ocrGuid_t sums(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 sum = 0;
    for (u64 i = 0; i < paramv[0]; i++)
        sum += i;
    return block_with(sum);
}

static ocrGuid_t sums_squares(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 sum = 0;
    for (u64 i = 0; i < paramv[0]; i++)
        sum += i * i;
    return block_with(sum);
}

static ocrGuid_t joins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    CHECK_EQ(number_in(depv[0]), 4950);
    CHECK_EQ(number_in(depv[1]), 328350);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEdt_t functions[] = {sums, sums_squares};
    ocrGuid_t join = spawn(joins, 0, NULL, 2, NULL);
    u64 count = 100;
    for (u32 i = 0; i < 2; i++) {
        ocrGuid_t output, hold = UNINITIALIZED_GUID;
        ocrGuid_t edt = spawn_with(functions[i], 1, &count, 1, &hold, EDT_PROP_NONE, &output);
        link_to(output, join, i, DB_MODE_RO);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}
