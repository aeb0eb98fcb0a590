/* Strict mode: a block is divided into nothing. */
// misuse: OCR-db-partitioning-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbPartition: partCount is 0

#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrDbPart_t part = {.offset = 0, .size = 8};
    ocrDbPartition(block_with(1), 0, &part, 0);
    return NULL_GUID;
}
