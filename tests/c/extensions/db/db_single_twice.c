/*
 * DB_PROP_SINGLE_ASSIGNMENT: two EDTs wait to write the block, which no call can refuse; the second ends
 * the program in strict mode.
 */
// clause: ocr-db.h
// env: OCR_CHECK=strict
// status: 1
// stderr: wants to write the data block 0x
// stderr: DB_PROP_SINGLE_ASSIGNMENT and its first writer has released it
#include "check.h"

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, event = event_of(OCR_EVENT_STICKY_T), tmpl = template_of(writes, 0, 1);
    void *addr;
    OK(ocrDbCreate(&block, &addr, 8, DB_PROP_SINGLE_ASSIGNMENT | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    for (int i = 0; i < 2; i++) {
        link_to(event, edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    }
    OK(ocrEventSatisfy(event, block));
    return NULL_GUID;
}
