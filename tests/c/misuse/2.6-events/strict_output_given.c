/* Strict mode: EDT_PROP_OEVT_VALID with an output event that is gone. */
// misuse: OCR-2.6.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: a sticky event was used after it had been destroyed (argument *outputEvent)

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, tmpl = TEMPLATE(end_edt, 0, 0), event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventDestroy(event));
    ocrEdtCreate(&guid, tmpl, 0, NULL, 0, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &event);
    return NULL_GUID;
}
