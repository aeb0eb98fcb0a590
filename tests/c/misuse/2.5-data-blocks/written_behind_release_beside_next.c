/* Strict mode: an EDT writes a data block behind its own ocrDbRelease, while the next one has it already. */
// misuse: OCR-2.5.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written while nobody held it for writing
// stderr: (hasty) called ocrDbRelease for it, which may have written it afterwards
// stderr: seen before the start of EDT 0x
// stderr: (64 bytes):
// stderr: the call belongs behind its last write
#include "strict.h"

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t block = block_of(64, &address), edt = EDT(reader, 0, NULL, 1, NULL);
    OK(ocrDbRelease(block));
    *(volatile u64 *)address = 7;
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    EDT(hasty, 0, NULL, 0, NULL);
    return NULL_GUID;
}
