/* Strict mode: two parts overlap. */
// misuse: OCR-db-partitioning-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbPartition: a part is not within the 8 bytes of the data block, or overlaps another one

#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrDbPart_t parts[] = {{.offset = 0, .size = 5}, {.offset = 4, .size = 4}};
    ocrDbPartition(block_with(1), 2, parts, 0);
    return NULL_GUID;
}
