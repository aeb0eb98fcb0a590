/* Strict mode: an EDT releases the event that brought a block. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbRelease: db is a sticky event 0x
// stderr: depv[slot].guid

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrDbRelease(event_of(OCR_EVENT_STICKY_T));
    return NULL_GUID;
}
