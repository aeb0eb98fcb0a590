/* Strict mode: an EDT writes through a pointer that another has left behind. */
// misuse: OCR-2.5.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written while nobody held it for writing
// stderr: it was as it should be when EDT 0x
// stderr: (owner) was done with it
// stderr: seen before the start of EDT 0x
// stderr: (reader)
// stderr: an EDT that keeps a pointer

#include "strict.h"

static u64 *s_left;

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t stranger(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = ((ocrGuid_t *)paramv)[0];
    *s_left = 7;
    link_to(block, EDT(reader, 0, NULL, 1, NULL), 0, DB_MODE_RO);
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
    ocrGuid_t done, block, edt = EDT_WITH(owner, 0, NULL, 1, NULL, &done);
    void *none;
    /* This EDT never has the block: one that had released it would be looked at when it ends, and that may be late. */
    OK(ocrDbCreate(&block, &none, sizeof(u64), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    EDT(stranger, 1, (u64 *)&block, 1, &done);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
