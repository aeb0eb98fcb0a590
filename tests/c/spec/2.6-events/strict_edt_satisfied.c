/* Strict mode takes it that pre-slots of an EDT are satisfied as those of events are. */
// clause: 2.6.4
// env: OCR_CHECK=strict
// stderr-without: ocr: error
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
    ocrGuid_t edt = spawn(looks, 0, NULL, 3, NULL);
    OK(ocrEventSatisfySlot(edt, NULL_GUID, 2));
    OK(ocrEventSatisfySlot(edt, block_with(2), 1));
    OK(ocrEventSatisfy(edt, block_with(1)));
    return NULL_GUID;
}
