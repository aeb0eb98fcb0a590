// Strict mode: a block is written that no EDT holds. The message names the last that found it as it should be, and of
// those that ran, only those that ran since.
//
// misuse: OCR-2.5.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: (owner) was done with it, and still (seen when EDT 0x
// stderr: (finds) gave the block back); since then ran EDT 0x
// stderr: (stranger)
// stderr: seen before the start of EDT 0x
// stderr: (reader)
// stderr-without: (before)
#include "strict.h"

static u64 *s_left;

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"it does not come so far");
    return NULL_GUID;
}

static ocrGuid_t stranger(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    *s_left = 7;
    link_to(((ocrGuid_t *)paramv)[0], EDT(reader, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    return NULL_GUID;
}

static ocrGuid_t finds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t before(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t owner(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    s_left = depv[0].ptr;
    *s_left = 1;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, done, passed, found;
    void *none;
    /* This EDT never has the block: one that had released it would be looked at when it ends, and that may be late. */
    OK(ocrDbCreate(&block, &none, sizeof(u64), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    const ocrGuid_t writer = EDT_WITH(owner, 0, NULL, 1, NULL, &done);
    EDT_WITH(before, 0, NULL, 1, &done, &passed);
    /* `before` has ended when this one begins. */
    const ocrGuid_t looker = EDT_WITH(finds, 0, NULL, 2, NULL, &found);
    EDT(stranger, 1, (u64 *)&block, 1, &found);
    link_to(passed, looker, 1, DB_MODE_NULL);
    link_to(block, looker, 0, DB_MODE_RO);
    link_to(block, writer, 0, DB_MODE_EW);
    return NULL_GUID;
}
