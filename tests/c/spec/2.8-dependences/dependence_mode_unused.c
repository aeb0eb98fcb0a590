// A dependence of an event does not use the mode, which may be anything; that of an EDT is one of the modes.
// clause: 2.8.1
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t from = event_of(OCR_EVENT_ONCE_T), to = event_of(OCR_EVENT_STICKY_T), edt;
    const ocrDbAccessMode_t none = (ocrDbAccessMode_t)77;
    OK(ocrEdtCreate(&edt, template_of(end_edt, 0, 1), 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    CHECK_EQ(ocrAddDependence(to, edt, 0, none), OCR_EINVAL);
    OK(ocrAddDependence(to, edt, 0, DB_MODE_RO));
    OK(ocrAddDependence(from, to, 0, none));
    OK(ocrEventSatisfy(from, NULL_GUID));
    return NULL_GUID;
}
