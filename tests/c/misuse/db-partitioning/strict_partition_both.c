/* Strict mode: an EDT gets a block together with a part of a part of it. */
// misuse: OCR-db-partitioning-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT gets a data block together with a part of it
// stderr: (gets_both)
// stderr: created by ocrDbPartition in EDT

#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

static ocrGuid_t gets_both(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return end_edt(paramc, paramv, depc, depv);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrDbPart_t outer = {.offset = 0, .size = 8}, inner = {.offset = 4, .size = 4};
    ocrGuid_t block = block_with(1);
    OK(ocrDbPartition(block, 1, &outer, 0));
    OK(ocrDbPartition(outer.guid, 1, &inner, 0));
    ocrGuid_t both[] = {inner.guid, block};
    EDT(gets_both, 0, NULL, 2, both);
    return NULL_GUID;
}
