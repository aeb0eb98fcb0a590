/* Strict mode: text where a GUID should be. Its highest byte could be that of an output event. */
// misuse: OCR-arguments-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbDestroy: db (0x6174616420656874) is not the GUID of an object
// stderr: a GUID has 64 bits

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t garbage;
    memcpy(&garbage, "the data", sizeof garbage);
    ocrDbDestroy(garbage);
    END(0);
    return NULL_GUID;
}
