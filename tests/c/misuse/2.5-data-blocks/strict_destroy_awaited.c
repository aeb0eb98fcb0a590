/* Strict mode: an EDT destroys a data block for which another one waits, which therefore has not acquired it. */
// misuse: OCR-2.5.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbDestroy: EDT 0x
// stderr: (second) waits for the data block
// stderr: (first): ocrDbDestroy(db 0x
// stderr: created by ocrEdtCreate in EDT
// stderr: 2.5.2
// stderr: in the last EDT that uses it
#include "strict.h"

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

/* Has the block until the others wait for it, in order. */
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t block = block_of(sizeof(u64), &address);
    *(u64 *)address = 1;
    link_to(block, spawn(first, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    link_to(block, spawn(second, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    OK(ocrDbRelease(block));
    return NULL_GUID;
}
