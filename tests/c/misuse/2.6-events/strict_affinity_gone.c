/* Strict mode: the place of an event is asked for that was destroyed. */
// misuse: OCR-2.6.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAffinityQuery: a sticky event was used after it had been destroyed (argument guid)
// stderr: created by ocrEventCreate in EDT
// stderr: destroyed by ocrEventDestroy in EDT
// stderr: extensions/ocr-affinity.h

#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), place;
    u64 count = 1;
    OK(ocrEventDestroy(event));
    ocrAffinityQuery(event, &count, &place);
    return NULL_GUID;
}
