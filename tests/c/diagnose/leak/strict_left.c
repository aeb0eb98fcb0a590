/* Strict mode: what is left at the end is listed; the status stays. */
// clause: leak
// env: OCR_CHECK=strict
// stderr: note: strict mode: 9 objects were left at the end of the program
// stderr: 3 sticky events, created in mainEdt: 0x
// stderr: 1 latch event, created in mainEdt: 0x
// stderr: its counter is -2: more decrements than increments
// stderr: 1 EDT (end_edt), created in mainEdt: 0x
// stderr: never ran: waits on pre-slot 1
// stderr: 1 template (end_edt), created in mainEdt
// stderr: 2 data blocks, created in mainEdt: 0x
// stderr: (8 bytes)
// stderr: (1 byte)
// stderr: "kept"

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T), done;
    for (int i = 0; i < 3; i++) {
        event_of(OCR_EVENT_STICKY_T);
    }
    for (int i = 0; i < 2; i++) {
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    }
    ocrGuid_t block = block_with(1), slots[] = {block, UNINITIALIZED_GUID};
    OK(ocrAttachDebugLabel(block, "kept", 0, NULL));
    void *address;
    OK(ocrDbRelease(block_of(1, &address)));
    edt_of(TEMPLATE(end_edt, 0, 2), 0, NULL, 2, slots, EDT_PROP_NONE, &done);
    ocrShutdown();
    return NULL_GUID;
}
