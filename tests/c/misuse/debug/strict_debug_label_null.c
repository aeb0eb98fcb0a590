/* Strict mode: a debug label without a text, for an object that has one. */
// misuse: OCR-debug-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAttachDebugLabel: label is NULL
// stderr: sticky event 0x
// stderr: "first"
// stderr: created by ocrEventCreate in EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrAttachDebugLabel(event, "first", 0, NULL));
    ocrAttachDebugLabel(event, NULL, 0, NULL);
    return NULL_GUID;
}
