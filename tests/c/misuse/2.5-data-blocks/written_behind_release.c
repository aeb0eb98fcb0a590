/* Strict mode: an EDT writes to a data block that it has released. With more workers mainEdt may still run, and be
 * named as one that may have written it. */
// misuse: OCR-2.5.3-d
// env: OCR_CHECK=strict
// workers: 1
// status: 1
// stderr: strict mode: a data block was written after ocrDbRelease
// stderr: seen at the end of EDT 0x
// stderr: (hasty)
// stderr: OCR 1.1.0, 2.5.3
// stderr: Move ocrDbRelease behind the last write

#include "strict.h"

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(100, &addr);
    OK(ocrDbRelease(block));
    ((char *)addr)[99] = 'x';
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    EDT(hasty, 0, NULL, 0, NULL);
    return NULL_GUID;
}
