/* Strict mode: an event is given as the data of another. The message names both. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: dataGuid is a sticky event 0x
// stderr: "the data":
// stderr: "the target", created by ocrEventCreate in EDT 0x
// stderr: use ocrAddDependence(source, event, 0

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t target = event_of(OCR_EVENT_ONCE_T), data = event_of(OCR_EVENT_STICKY_T);
    OK(ocrAttachDebugLabel(target, "the target", 0, NULL));
    OK(ocrAttachDebugLabel(data, "the data", 0, NULL));
    ocrEventSatisfy(target, data);
    return NULL_GUID;
}
