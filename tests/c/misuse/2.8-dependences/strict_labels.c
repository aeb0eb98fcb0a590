/* Strict mode: messages show the labels of objects, given before and after their creation. */
// misuse: OCR-2.8.1-f
// env: OCR_CHECK=strict
// status: 1
// stderr: pre-slot 0 is connected already
// stderr: sticky event 0x
// stderr: "tile 3 4"
// stderr: EDT 0x
// stderr: (end_edt) "last"

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 indices[] = {3, 4};
    OK(ocrPreAttachDebugLabel("unused", 0, NULL));
    OK(ocrPreAttachDebugLabel("tile", 2, indices));
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), other = event_of(OCR_EVENT_STICKY_T), end = END(2);
    OK(ocrAttachDebugLabel(end, "last", 0, NULL));
    OK(ocrNoteCausality(end, end));
    link_to(event, end, 0, DB_MODE_NULL);
    link_to(event, other, 0, DB_MODE_NULL);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrAddDependence(event, end, 0, DB_MODE_NULL);
    return NULL_GUID;
}
