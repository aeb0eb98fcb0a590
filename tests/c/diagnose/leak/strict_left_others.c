/* Strict mode's list of what is left has ranges and maps of labels, maps with creators, files, and what data blocks
 * are parts of; not those that were destroyed or released. */
// clause: leak
// env: OCR_CHECK=leaks
// status: 1
// stderr: strict mode: 9 objects were left at the end of the program
// stderr: 2 label ranges, created in mainEdt: 0x
// stderr: 1 label map, created in mainEdt: 0x
// stderr: 1 map, created in mainEdt: 0x
// stderr: 1 file, created in mainEdt: 0x
// stderr:  "strict_left_others.
// stderr: 4 data blocks, created in mainEdt: 0x
// stderr: (8 bytes, a part of another)
// stderr: (8 bytes, a chunk of a file)
// stderr: ocrGuidMapDestroy, ocrMapDestroy, ocrFileRelease
#include "file.h"

#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-map-creator.h>

static ocrGuid_t first_of(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)skip, (void)params, (void)tuple;
    return start;
}

static void creates(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
}

/* The second time, all is ended. */
static void make(const char *name, bool ends) {
    ocrGuid_t range, labels, map, file, chunk, block = block_with(1);
    ocrDbPart_t part = {.offset = 0, .size = 8, .guid = NULL_GUID};
    OK(ocrGuidRangeCreate(&range, 2, GUID_USER_DB));
    OK(ocrGuidMapCreate(&labels, 0, first_of, NULL, 2, GUID_USER_DB));
    OK(ocrMapCreate(&map, 2, creates, 0, NULL, 0, NULL));
    OK(ocrFileOpen(&file, name, "w", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, 8));
    OK(ocrDbPartition(block, 1, &part, OCR_DB_PARTITION_STATIC));
    if (ends) {
        OK(ocrGuidMapDestroy(range));
        OK(ocrGuidMapDestroy(labels));
        OK(ocrMapDestroy(map));
        OK(ocrFileRelease(file));
        OK(ocrDbDestroy(chunk));
        OK(ocrDbDestroy(part.guid));
        OK(ocrDbDestroy(block));
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char name[64];
    ocrGuid_t range;
    file_name(name, "strict_left_others");
    make(name, false);
    make(name, true);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
    block_with(2);
    CHECK_EQ(unlink(name), 0);
    ocrShutdown();
    return NULL_GUID;
}
