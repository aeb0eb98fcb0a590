/* Strict mode: a thread waits for an event that does not last. */
// misuse: OCR-legacy-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrLegacyBlockProgress: a latch event cannot be waited for
// stderr: created by ocrEventCreate in EDT
// stderr: ocrLegacyBlockProgress(handle 0x
#include "strict.h"
#include <extensions/ocr-legacy.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T);
    ocrLegacyBlockProgress(latch, NULL, NULL, NULL, LEGACY_PROP_NONE);
    return NULL_GUID;
}
