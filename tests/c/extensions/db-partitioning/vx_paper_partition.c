/*
 * The program of section 6.2 of the paper about extensions: a block is divided into two halves, which two EDTs
 * multiply and destroy; then the sum of the whole is taken.
 */
// clause: ocr-db-partitioning.h
// stdout: the sum is 4096
// env: OCR_CHECK=leaks
#include "check.h"
#include <extensions/ocr-db-partitioning.h>

enum { COUNT = 1024, HALF = COUNT / 2 };

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u32 *data = depv[0].ptr;
    u64 sum = 0;
    for (u32 i = 0; i < COUNT; i++)
        sum += data[i];
    ocrPrintf("the sum is %" PRIu64 "\n", sum);
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t multiplies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *data = depv[0].ptr;
    for (u32 i = 0; i < HALF; i++)
        data[i] *= (u32)paramv[0];
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, worker[2], ended[2], last = spawn(adds, 0, NULL, 3, NULL);
    ocrDbPart_t parts[2] = {{.offset = 0, .size = HALF * sizeof(u32)},
                            {.offset = HALF * sizeof(u32), .size = HALF * sizeof(u32)}};
    u64 factor[2] = {2, 6};
    u32 *data;
    block = block_of(COUNT * sizeof *data, (void **)&data);
    for (u32 i = 0; i < COUNT; i++)
        data[i] = 1;
    OK(ocrDbRelease(block));
    OK(ocrDbPartition(block, 2, parts, 0));
    for (int i = 0; i < 2; i++)
        worker[i] = spawn_with(multiplies, 1, &factor[i], 1, NULL, EDT_PROP_NONE, &ended[i]);
    link_to(block, last, 0, DB_MODE_RO);
    for (u32 i = 0; i < 2; i++)
        link_to(ended[i], last, 1 + i, DB_DEFAULT_MODE);
    for (int i = 0; i < 2; i++)
        link_to(parts[i].guid, worker[i], 0, DB_MODE_EW);
    return NULL_GUID;
}
