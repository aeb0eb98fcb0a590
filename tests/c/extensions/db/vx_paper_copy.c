/*
 * The program of section 6.3 of the paper about extensions: two halves of a block are copied to blocks of their
 * own, multiplied there, and copied back; then the sum is taken. It destroys no event, and leaves nothing.
 */
// clause: ocr-db.h
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
    OK(ocrDbDestroy(depv[3].guid));
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

/* Parameters: the factor, the pre-slot of the last EDT, where the half begins. */
static ocrGuid_t multiplies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *data = depv[0].ptr;
    const ocrGuid_t *guids = depv[1].ptr;
    ocrGuid_t copied;
    for (u32 i = 0; i < HALF; i++)
        data[i] *= (u32)paramv[0];
    OK(ocrDbRelease(depv[0].guid));
    OK(ocrDbCopy(guids[1], paramv[2] * sizeof(u32), depv[0].guid, 0, HALF * sizeof(u32), DB_COPY_PARTITION_BACK,
                 &copied));
    OK(ocrAddDependence(copied, guids[0], (u32)paramv[1], DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, guids, half[2], copied[2], worker[2], last;
    ocrGuid_t *stored;
    u32 *data;
    void *none;
    block = block_of(COUNT * sizeof *data, (void **)&data);
    for (u32 i = 0; i < COUNT; i++)
        data[i] = 1;
    OK(ocrDbRelease(block));
    guids = block_of(2 * sizeof *stored, (void **)&stored);
    for (int i = 0; i < 2; i++) {
        OK(ocrDbCreate(&half[i], &none, HALF * sizeof *data, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
        OK(ocrDbCopy(half[i], 0, block, (u64)i * HALF * sizeof *data, HALF * sizeof *data, DB_COPY_PARTITION,
                     &copied[i]));
    }
    u64 params[2][3] = {{2, 1, 0}, {6, 2, HALF}};
    last = spawn(adds, 0, NULL, 4, NULL);
    for (int i = 0; i < 2; i++)
        worker[i] = spawn(multiplies, 3, params[i], 2, NULL);
    stored[0] = last;
    stored[1] = block;
    OK(ocrDbRelease(guids));
    link_to(block, last, 0, DB_MODE_RO);
    link_to(guids, last, 3, DB_MODE_RO);
    for (int i = 0; i < 2; i++) {
        link_to(copied[i], worker[i], 0, DB_MODE_EW);
        link_to(guids, worker[i], 1, DB_MODE_CONST);
    }
    return NULL_GUID;
}
