/*
 * DB_PROP_SINGLE_ASSIGNMENT: when the first writer has released the block, readers get it, also if they
 * ask for a mode that allows writing, which is warned of once. The creator is the first writer, unless it
 * does not acquire the block.
 */
// clause: ocr-db.h
// stderr: ocr: warning: EDT 0x
// stderr: It gets the block. More of this kind is not told.
#include "check.h"

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    return NULL_GUID;
}

/* Gets the block unwritten, and is its first writer. */
static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 value = 6;
    ocrGuid_t block = depv[0].guid, second = spawn(reads, 1, &value, 1, NULL);
    *(u64 *)depv[0].ptr = value;
    OK(ocrDbRelease(block));
    link_to(block, second, 0, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block;
    u64 *addr, value = 5;
    OK(ocrDbCreate(&block, (void **)&addr, 8, DB_PROP_SINGLE_ASSIGNMENT, NULL_HINT, NO_ALLOC));
    *addr = value;
    OK(ocrDbRelease(block));
    ocrGuid_t edt = spawn(reads, 1, &value, 1, NULL), other = spawn(reads, 1, &value, 1, NULL);
    link_to(block, edt, 0, DB_MODE_CONST);
    OK(ocrEdtCreate(&edt, template_of(reads, 1, 1), 1, &value, 1, &block, EDT_PROP_NONE, NULL_HINT, NULL));
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    link_to(block, event, 0, DB_MODE_RW); /* the mode is ignored: an event does not write */
    link_to(event, other, 0, DB_MODE_RO);

    OK(ocrDbCreate(&block, (void **)&addr, 8, DB_PROP_SINGLE_ASSIGNMENT | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    link_to(block, spawn(writes, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(all, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
