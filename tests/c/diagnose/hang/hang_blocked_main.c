// A hang in which main waits for an event that is never satisfied, in a program with its own main.
//
// clause: hang
// status: 1
// stderr: the main thread waits in ocrLegacyBlockProgress for the sticky event
// stderr: which was never satisfied (ocrEventSatisfy)
// stderr: OCR_CHECK=strict shows who created what waits
// needs: halt
#include "check.h"

#include <extensions/ocr-legacy.h>

int main(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    ocrLegacyInit(&context, &config);
    (void)ocrLegacyBlockProgress(event_of(OCR_EVENT_STICKY_T), NULL, NULL, NULL, LEGACY_PROP_NONE);
    return 0;
}
