/* Strict mode: an EDT writes beyond a part of a data block, and beyond the block. */
// misuse: OCR-2.5.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block of 256 bytes was written beyond its end, at byte 256, while EDT 0x
// stderr: (writer) held its part 0x
// stderr: created by ocrDbPartition in EDT
// stderr: created by ocrDbCreate in EDT

#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memset(depv[0].ptr, 1, 129);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(256, &addr);
    ocrDbPart_t parts[] = {{.offset = 128, .size = 128}};
    OK(ocrDbRelease(block));
    OK(ocrDbPartition(block, 1, parts, 0));
    link_to(parts[0].guid, EDT(writer, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
