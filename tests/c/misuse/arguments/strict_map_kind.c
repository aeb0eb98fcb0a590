/* Strict mode: a data block in the place of a map. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrMapDestroy: mapGuid is a data block 0x
// stderr: , not a map of ocrMapCreate
// stderr: created by ocrDbCreate in EDT
// stderr: Pass the GUID that ocrMapCreate has stored

#include "strict.h"
#include <extensions/ocr-map-creator.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrMapDestroy(block_with(1));
    return NULL_GUID;
}
