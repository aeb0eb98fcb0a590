/*
 * Strict mode's list of what is left has no EDT that was destroyed, though an event leads to it still, and none that
 * stands for an EDT that waits in a call when the program ends.
 */
// clause: leak
// env: OCR_CHECK=strict
// stderr: 1 object was left
// stderr: 1 sticky event
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t event;

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(end_edt, 0, NULL, 1, (ocrGuid_t[]){NULL_GUID});
    REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtDestroy(spawn(end_edt, 0, NULL, 1, &event)));
    spawn(waits, 0, NULL, 1, (ocrGuid_t[]){NULL_GUID});
    return NULL_GUID;
}
