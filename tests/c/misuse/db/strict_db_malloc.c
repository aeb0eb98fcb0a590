/* Strict mode: a function of OCR 1.0 that is not supported. */
// misuse: OCR-db-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbMalloc: there is no memory management inside data blocks
// stderr: created by ocrDbCreate in EDT 0x
// stderr: Create a data block for each object
#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *place;
    ocrDbMalloc(block_with(1), 8, &place);
    return NULL_GUID;
}
