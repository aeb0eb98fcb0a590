/* Strict mode: a copy between a block and a part of it, of other bytes than the part's own. */
// misuse: OCR-db-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCopy: of source and destination, one is a part of the other
// stderr: Destroy the part first, or make it the whole source
#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(1024, &addr);
    OK(ocrDbRelease(block));
    ocrDbPart_t part = {.offset = 512, .size = 512};
    OK(ocrDbPartition(block, 1, &part, 0));
    ocrDbCopy(block, 0, part.guid, 0, 512, 0, NULL);
    return NULL_GUID;
}
