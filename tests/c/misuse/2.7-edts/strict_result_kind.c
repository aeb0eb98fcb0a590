/* Strict mode: an EDT returns the GUID of an EDT. */
// misuse: OCR-2.7-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT returned 0x
// stderr: which is an EDT
// stderr: seen at the end of EDT 0x
// stderr: (mainEdt)
// stderr: return NULL_GUID;

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return END(1);
}
