/* Strict mode: an EDT releases a data block that it only knows by name. */
// misuse: OCR-2.5.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbRelease: the EDT has not acquired the data block
// stderr: (stranger): ocrDbRelease(db 0x
// stderr: knowing its GUID is not enough

#include "strict.h"

static ocrGuid_t stranger(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrDbRelease(((ocrGuid_t *)paramv)[0]);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    EDT(stranger, 1, (u64 *)&block, 0, NULL);
    return NULL_GUID;
}
