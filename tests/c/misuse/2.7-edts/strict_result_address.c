/* Strict mode: an EDT returns the address of its data block, not the GUID. */
// misuse: OCR-2.7-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT returned 0x
// stderr: which is the address of data block 0x
// stderr: depv[i].guid
#include "strict.h"

static ocrGuid_t returns_address(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    return (ocrGuid_t){(intptr_t)depv[0].ptr};
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(0);
    EDT(returns_address, 0, NULL, 1, &block);
    return NULL_GUID;
}
