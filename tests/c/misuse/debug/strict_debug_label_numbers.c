/* Strict mode: a debug label without its numbers. */
// misuse: OCR-debug-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAttachDebugLabel: paramv is NULL, but paramc is 2
// stderr: or 0 for paramc

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAttachDebugLabel(block_with(1), "tile", 2, NULL);
    return NULL_GUID;
}
