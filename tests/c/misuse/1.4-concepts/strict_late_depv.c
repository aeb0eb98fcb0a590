/* Strict mode: depv names a once event that has triggered. */
// misuse: OCR-1.4.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: a once event was used after it had triggered (argument depv[1])

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, event = event_of(OCR_EVENT_ONCE_T), tmpl = TEMPLATE(end_edt, 0, 2);
    OK(ocrEventSatisfy(event, NULL_GUID));
    ocrGuid_t slots[] = {NULL_GUID, event};
    ocrEdtCreate(&guid, tmpl, 0, NULL, 2, slots, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
