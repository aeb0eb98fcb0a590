/* Strict mode: the same of an EDT that never had the block, and has kept a pointer to it. */
// misuse: OCR-2.5.3-g
// env: OCR_CHECK=strict
// needs: signals
// status: 1
// stderr: (keeps), which read byte 0 of the data block 0x
// stderr: An EDT that keeps a pointer to a block of another EDT needs the block in one of its pre-slots
// stderr-without: crashed

#include "strict.h"

static volatile u64 *s_kept;

static ocrGuid_t keeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(*s_kept, 7);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t releases(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    s_kept = depv[0].ptr;
    OK(ocrDbRelease(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(7), done, edt = EDT_WITH(releases, 0, NULL, 1, NULL, &done);
    link_to(done, EDT(keeps, 0, NULL, 1, NULL), 0, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_RO);
    return NULL_GUID;
}
