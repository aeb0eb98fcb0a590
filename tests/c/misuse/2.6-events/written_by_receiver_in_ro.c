/* Strict mode: while an EDT holds a block with which it has satisfied an event, who got it in mode RO writes it. */
// misuse: OCR-2.6.3-b
// env: OCR_CHECK=strict
// status: 1
// workers: 2 8
// stderr: a data block was written after an event had been satisfied with it (ocrEventSatisfy), by EDT 0x
// stderr: (produces) or by one that ran meanwhile: EDT 0x
// stderr: (writes)
// stderr: who has the block in mode RO or CONST only reads it
#include "strict.h"

static volatile int written;

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = 2;
    __atomic_store_n(&written, 1, __ATOMIC_RELEASE);
    return NULL_GUID;
}

static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = {(intptr_t)paramv[0]};
    void *address;
    ocrGuid_t block = block_of(sizeof(u64), &address);
    OK(ocrEventSatisfy(event, block));
    while (!__atomic_load_n(&written, __ATOMIC_ACQUIRE)) {
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    u64 param = (u64)event.guid;
    link_to(event, spawn(writes, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    spawn(produces, 1, &param, 0, NULL);
    return NULL_GUID;
}
