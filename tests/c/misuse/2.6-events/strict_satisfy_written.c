/* Strict mode: an EDT writes a data block after it has satisfied an event with it. */
// misuse: OCR-2.6.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block was written after an event had been satisfied with it (ocrEventSatisfy)
// stderr: seen when EDT 0x
// stderr: (hasty)
// stderr: created by ocrDbCreate in EDT 0x
// stderr: created by ocrEventCreate in EDT 0x
// stderr: (hasty), created by ocrEdtCreate in EDT 0x
// stderr: OCR 1.1.0, 1.6.2 and 2.6.3
// stderr: Call ocrDbRelease after the last write

#include "strict.h"

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    OK(ocrEventSatisfy(*(ocrGuid_t *)paramv, depv[0].guid));
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), block = block_with(1);
    link_to(event, END(1), 0, DB_MODE_EW);
    EDT(hasty, 1, (u64 *)&event, 1, &block);
    return NULL_GUID;
}
