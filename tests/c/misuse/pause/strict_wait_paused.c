/* Strict mode: who has paused the runtime waits for an event. */
// misuse: OCR-pause-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrWait: the caller has paused the runtime
// stderr: "awaited":
// stderr: created by ocrEventCreate in EDT 0x
// stderr: extensions/ocr-pause.h
// stderr: Call ocrResume before
#include "strict.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pause.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    OK(ocrAttachDebugLabel(sticky, "awaited", 0, NULL));
    CHECK_EQ(ocrPause(true), 1);
    ocrWait(sticky);
    return NULL_GUID;
}
