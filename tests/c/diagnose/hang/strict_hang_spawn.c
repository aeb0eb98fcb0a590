// Strict mode: the message names the creator of an EDT that waits indefinitely, and the call, ocrLegacySpawnOCR too.
//
// clause: hang
// env: OCR_CHECK=strict
// status: 1
// stderr: (waits), created by ocrLegacySpawnOCR in EDT
// needs: halt
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its event");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, slots[] = {NULL_GUID, event_of(OCR_EVENT_STICKY_T)};
    OK(ocrLegacySpawnOCR(&handle, template_of(waits, 0, 2), 0, NULL, 2, slots, NULL_GUID));
    return NULL_GUID;
}
