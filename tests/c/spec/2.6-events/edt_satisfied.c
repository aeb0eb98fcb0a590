/* Pre-slots of an EDT may be satisfied as those of events are (OCR 1.2); ocrEventSatisfy is for slot 0 (2.6.3). */
// clause: 2.6.3 2.6.4
// deviates: 2.6.3 2.6.4
// revisions: plain strict
// [strict] stderr-without: ocr: error
#include "check.h"

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 3);
    CHECK_EQ(number_in(depv[0]), 1);
    CHECK_EQ(number_in(depv[1]), 2);
    CHECK(ocrGuidIsNull(depv[2].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt = spawn(looks, 0, NULL, 3, NULL), event = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfySlot(edt, NULL_GUID, 2));
    OK(ocrEventSatisfySlot(edt, block_with(2), 1));
    if (!is_strict())
        REFUSED(OCR_EINVAL, ocrEventSatisfy(edt, event));
    OK(ocrEventSatisfy(edt, block_with(1)));
    return NULL_GUID;
}
