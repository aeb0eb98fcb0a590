/* Strict mode: a part is written when it has been put back into its block, by a pointer that was kept. */
// misuse: OCR-2.5.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written while nobody held it for writing
// stderr: when EDT 0x
// stderr: (fills) was done with it; since then ran
// stderr: (late)
#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

static int *kept;

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    kept = depv[0].ptr;
    kept[0] = 1;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    kept[0] = 55;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *bytes;
    ocrGuid_t hold = UNINITIALIZED_GUID, whole = block_of(8192, &bytes), filled, written;
    ocrDbPart_t part = {.offset = 0, .size = 4096};
    memset(bytes, 0, 8192);
    OK(ocrDbRelease(whole));
    OK(ocrDbPartition(whole, 1, &part, 0));
    ocrGuid_t first = spawn_with(fills, 0, NULL, 1, &hold, EDT_PROP_NONE, &filled);
    spawn_with(late, 0, NULL, 1, &filled, EDT_PROP_NONE, &written);
    ocrGuid_t last = end_after(2);
    link_to(whole, last, 0, DB_MODE_RO);
    link_to(written, last, 1, DB_MODE_NULL);
    link_to(part.guid, first, 0, DB_MODE_EW);
    return NULL_GUID;
}
