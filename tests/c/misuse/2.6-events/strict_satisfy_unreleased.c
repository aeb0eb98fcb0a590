/* Strict mode: an EDT satisfies an event with a data block that it has created and written, and not released. */
// misuse: OCR-2.6.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an event is satisfied with a data block (ocrEventSatisfy) that the EDT has written and not released
// stderr: seen in ocrEventSatisfy, called by EDT 0x
// stderr: (mainEdt)
// stderr: created by ocrDbCreate in EDT 0x
// stderr: created by ocrEventCreate in EDT 0x
// stderr: OCR 1.1.0, 1.6.2 and 2.6.3
// stderr: Call ocrDbRelease between the last write and ocrEventSatisfy

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), block = block_of(sizeof(u64), &addr);
    link_to(event, END(1), 0, DB_MODE_CONST);
    *(u64 *)addr = 1;
    OK(ocrEventSatisfy(event, block));
    return NULL_GUID;
}
