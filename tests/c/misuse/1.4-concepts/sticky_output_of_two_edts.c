/* Strict mode: one sticky event is the output event of two EDTs. */
// misuse: OCR-1.4.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a sticky event was satisfied twice
// stderr: seen when it was satisfied by the end of EDT 0x
// stderr: (worker), whose output event it is
// stderr: satisfied by the end of EDT 0x
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt, sticky = event_of(OCR_EVENT_STICKY_T), tmpl = TEMPLATE(worker, 0, 0);
    for (int n = 0; n < 2; n++)
        OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 0, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &sticky));
    return NULL_GUID;
}
