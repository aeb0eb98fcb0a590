/*
 * A finish EDT without children passes on the block that it returns, as programs rely on; one with
 * children fires after them, with or without data. Its own blocks are free by then.
 */
// clause: 1.4.2
// deviates: 1.4.2 2.7.3
#include "check.h"

static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t alone(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return depv[0].guid;
}

static ocrGuid_t parent(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (int i = 0; i < 10; i++) {
        link_to(depv[0].guid, spawn(child, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    }
    return depv[0].guid;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 71);
    CHECK_EQ(number_in(depv[1]), 90);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, last = spawn(ends, 0, NULL, 3, NULL), block = block_with(80);
    ocrGuid_t edt = spawn_with(alone, 0, NULL, 1, NULL, EDT_PROP_FINISH, &output);
    link_to(output, last, 0, DB_MODE_RW);
    link_to(block_with(70), edt, 0, DB_MODE_EW);
    edt = spawn_with(parent, 0, NULL, 1, NULL, EDT_PROP_FINISH, &output);
    link_to(output, last, 2, DB_MODE_NULL);
    link_to(block, last, 1, DB_MODE_RW);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
