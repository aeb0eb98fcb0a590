/* Strict mode: an EDT returns what is no GUID. */
// misuse: OCR-2.7-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT returned 0x6174616420656874, which is no object
// stderr: return NULL_GUID;

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t garbage;
    memcpy(&garbage, "the data", sizeof garbage);
    END(1);
    return garbage;
}
