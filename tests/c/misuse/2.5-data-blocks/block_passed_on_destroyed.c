/* Strict mode: a data block is passed on after it was destroyed. */
// misuse: OCR-2.5.2-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a data block was used after it had been destroyed (argument dataGuid)
// stderr: destroyed by ocrDbDestroy in EDT
// stderr: Destroy the block in the last EDT that uses it

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1), event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrDbDestroy(block));
    ocrEventSatisfy(event, block);
    return NULL_GUID;
}
