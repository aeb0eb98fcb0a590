/* Strict mode: a block that is written once is divided. */
// misuse: OCR-db-partitioning-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbPartition: the data block has DB_PROP_SINGLE_ASSIGNMENT

#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrDbPart_t part = {.offset = 0, .size = 8};
    ocrGuid_t block;
    void *addr;
    OK(ocrDbCreate(&block, &addr, 64, DB_PROP_SINGLE_ASSIGNMENT, NULL_HINT, NO_ALLOC));
    ocrDbPartition(block, 1, &part, 0);
    return NULL_GUID;
}
