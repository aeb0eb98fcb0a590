/* Strict mode: an EDT satisfies an event with a block, and writes it then; who gets it has it in the mode of depv, RW,
 * at once, but has not begun. */
// misuse: OCR-2.6.3-b
// env: OCR_CHECK=strict
// status: 1
// workers: 1
// stderr: strict mode: a data block was written after an event had been satisfied with it (ocrEventSatisfy)
// stderr: (produces) gave the block back
// stderr: Call ocrDbRelease after the last write
#include "strict.h"

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = {(intptr_t)paramv[0]};
    void *address;
    ocrGuid_t block = block_of(sizeof(u64), &address);
    OK(ocrEventSatisfy(event, block));
    *(u64 *)address = 2;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    u64 param = (u64)event.guid;
    spawn(uses, 0, NULL, 1, &event);
    spawn(produces, 1, &param, 0, NULL);
    return NULL_GUID;
}
