/* Strict mode: an EDT writes beyond the end of a part, into the next one, which no EDT has held yet. */
// misuse: OCR-2.5.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: ocr: error: strict mode:
// stderr: (32 bytes):
// stderr: created by ocrDbPartition in EDT
#include "strict.h"
#include <extensions/ocr-db-partitioning.h>

enum { PARTS = 2, NUMBERS = 4 };

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (int i = 0; i <= NUMBERS; i++)
        ((u64 *)depv[0].ptr)[i] = 9;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"what was not written by who may is not read");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, written, reader, writer;
    u64 *numbers;
    OK(ocrDbCreate(&block, (void **)&numbers, PARTS * NUMBERS * sizeof *numbers, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(numbers, 0, PARTS * NUMBERS * sizeof *numbers);
    OK(ocrDbRelease(block));
    ocrDbPart_t parts[PARTS];
    for (u64 at = 0; at < PARTS; at++)
        parts[at] = (ocrDbPart_t){at * NUMBERS * sizeof *numbers, NUMBERS * sizeof *numbers, NULL_GUID};
    OK(ocrDbPartition(block, PARTS, parts, 0));
    reader = EDT(reads, 0, NULL, 2, NULL);
    writer = EDT_WITH(writes, 0, NULL, 1, NULL, &written);
    link_to(written, reader, 1, DB_MODE_NULL);
    link_to(parts[1].guid, reader, 0, DB_MODE_RO);
    link_to(parts[0].guid, writer, 0, DB_MODE_RW);
    return NULL_GUID;
}
