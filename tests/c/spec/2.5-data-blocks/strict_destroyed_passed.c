// Strict mode notes that an EDT destroys a block which it has passed on to another by an event, also where that one has
// acquired the block by then and nothing goes wrong.
//
// clause: 2.5.2
// unordered: strict mode notes that an EDT destroys a block which another has got, before that ends
// env: OCR_CHECK=strict
// workers: 1 8
// stderr: ocr: note: strict mode: EDT 0x
// stderr: (mainEdt) destroyed data block 0x
// stderr: after it had passed it on to EDT 0x
// stderr: (reads) (ocrEventSatisfy)
// stderr: by its output event (OCR 1.1.0, 2.5.2)
// stderr-without: ocr: error
#include "strict.h"

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u64 *)depv[0].ptr, 7);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t block = block_of(sizeof(u64), &address);
    *(u64 *)address = 7;
    OK(ocrDbRelease(block));
    const ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    link_to(event, EDT(reads, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(event, block));
    OK(ocrDbDestroy(block));
    return NULL_GUID;
}
