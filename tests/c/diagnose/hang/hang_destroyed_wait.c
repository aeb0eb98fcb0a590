/*
 * A program that never ends, as one EDT waits in a call for an event that another destroys, and a third for a block
 * that the first holds: strict mode says who destroyed the event, and who created the block.
 */
// clause: hang
// env: OCR_CHECK=strict
// workers: 2 8
// status: 1
// stderr: waits in ocrWait for the event 0x
// stderr: , which does not exist any more: destroyed by ocrEventDestroy in EDT 0x
// stderr: (mainEdt)
// stderr: (wants_it), created by ocrEdtCreate in EDT 0x
// stderr: bytes, created by ocrDbCreate in EDT 0x
// stderr: in mode EW: it is held in mode EW by EDT 0x
// needs: halt
#include "strict.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>
#include <stdatomic.h>

static atomic_bool waiting;
static ocrGuid_t event;

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_store(&waiting, true);
    ocrWait(event);
    CHECK(!"the event was satisfied");
    return NULL_GUID;
}

static ocrGuid_t wants_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the block was released");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1), waiter, second;
    event = event_of(OCR_EVENT_STICKY_T);
    waiter = EDT(waits, 0, NULL, 1, NULL);
    second = EDT(wants_it, 0, NULL, 1, NULL);
    link_to(block, waiter, 0, DB_MODE_EW);
    while (!atomic_load(&waiting))
        breathe();
    link_to(block, second, 0, DB_MODE_EW);
    /* until the first is in its call */
    ocrResume(ocrPause(true));
    OK(ocrEventDestroy(event));
    return NULL_GUID;
}
