/* Strict mode: a block with static parts is divided again. */
// misuse: OCR-db-partitioning-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbPartition: the data block was divided with OCR_DB_PARTITION_STATIC, and still has 1 part

#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrDbPart_t parts[] = {{.offset = 0, .size = 4}, {.offset = 4, .size = 4}};
    ocrGuid_t block = block_with(1);
    OK(ocrDbPartition(block, 1, parts, OCR_DB_PARTITION_STATIC));
    ocrDbPartition(block, 1, parts + 1, 0);
    return NULL_GUID;
}
