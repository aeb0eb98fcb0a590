/* Strict mode: a thread waits for a once event that has triggered. */
// misuse: OCR-legacy-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrWait: a once event was waited for after it had triggered (argument outputEvent)
// stderr: "too early":
// stderr: created by ocrEventCreate in EDT 0x
// stderr: satisfied by ocrEventSatisfy in EDT 0x
// stderr: Wait for a sticky event
#include "strict.h"
#include <extensions/ocr-legacy.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t once = event_of(OCR_EVENT_ONCE_T);
    OK(ocrAttachDebugLabel(once, "too early", 0, NULL));
    OK(ocrEventSatisfy(once, NULL_GUID));
    ocrWait(once);
    return NULL_GUID;
}
