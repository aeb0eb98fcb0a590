// Strict mode: a block is written that nobody holds. It is told who found it as it should be last, and of those that ran,
// only those that ran since.
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
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t found;
    const ocrGuid_t edt = EDT_WITH(finds, 0, NULL, 1, NULL, &found);
    EDT(stranger, 1, paramv, 1, &found);
    link_to(((ocrGuid_t *)paramv)[0], edt, 0, DB_MODE_RO);
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
    ocrGuid_t done, block = block_with(0), edt = EDT_WITH(owner, 0, NULL, 1, NULL, &done);
    EDT(before, 1, (u64 *)&block, 1, &done);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
