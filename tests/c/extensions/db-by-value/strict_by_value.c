/*
 * Strict mode has nothing against contents passed by value, copies and groups, and nothing of them is left: an
 * event that is satisfied so leads to two EDTs, one of which passes the content on when the other has ended.
 */
// clause: ocr-db-by-value.h
// env: OCR_CHECK=leaks
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-partitioning.h>

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 8);
    CHECK_EQ(number_in(depv[1]), 7);
    OK(ocrDbDestroy(depv[1].guid));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 7);
    return NULL_GUID;
}

static ocrGuid_t adds_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ++*(u64 *)depv[0].ptr;
    OK(ocrGroupBegin());
    OK(ocrAddDependenceByValue(depv[0].guid, ((ocrGuid_t *)paramv)[0], 0, DB_MODE_CONST));
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrGroupEnd());
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t once = event_of(OCR_EVENT_ONCE_T), other = block_with(0), block, copied, read;
    ocrGuid_t end = spawn(ends, 0, NULL, 2, NULL), add = spawn(adds_one, 1, (u64 *)&end, 2, NULL);
    ocrGuid_t reader = spawn_with(reads, 0, NULL, 1, NULL, EDT_PROP_NONE, &read);
    u64 *number;
    block = block_of(sizeof *number, (void **)&number);
    *number = 7;
    link_to(read, add, 1, DB_MODE_NULL);
    link_to(once, reader, 0, DB_MODE_CONST);
    link_to(once, add, 0, DB_MODE_EW);
    OK(ocrAddDependenceByValue(block, once, 0, DB_MODE_NULL));
    OK(ocrDbRelease(block));
    OK(ocrDbCopy(other, 0, block, 0, sizeof *number, DB_COPY_PARTITION_BACK, &copied));
    link_to(copied, end, 1, DB_MODE_CONST);
    return NULL_GUID;
}
