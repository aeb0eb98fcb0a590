/*
 * The pre-slots of an EDT that runs are all satisfied: ocrAddDependence and ocrEventSatisfySlot refuse it with
 * OCR_EINVAL, and it goes on with what it has. Of one that waits, a pre-slot that is satisfied is OCR_EPERM.
 */
// clause: 2.8.1
#include "check.h"

#include <extensions/ocr-db-info.h>
#include <extensions/ocr-runtime-itf.h>

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const ocrGuid_t self = currentEdtUserGet(), block = depv[0].guid;
    REFUSED(OCR_EINVAL, ocrAddDependence(NULL_GUID, self, 0, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrAddDependence(block, self, 1, DB_MODE_RO));
    REFUSED(OCR_EINVAL, ocrEventSatisfySlot(self, block, 0));
    REFUSED(OCR_EINVAL, ocrEventSatisfy(self, NULL_GUID));
    CHECK_EQ(number_in(depv[0]), 7);
    CHECK(ocrGuidIsNull(depv[1].guid));
    /* Only a data block has a size. */
    u64 size = 9;
    REFUSED(OCR_EINVAL, ocrDbGetSize(self, &size));
    REFUSED(OCR_EINVAL, ocrDbGetSize(block, NULL));
    CHECK_EQ(size, 9);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrGuid_t edt = spawn(runs, 0, NULL, 2, NULL), block = block_with(7);
    OK(ocrEventSatisfySlot(edt, block, 0));
    REFUSED(OCR_EPERM, ocrEventSatisfySlot(edt, NULL_GUID, 0));
    REFUSED(OCR_EPERM, ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO));
    OK(ocrEventSatisfySlot(edt, NULL_GUID, 1));
    return NULL_GUID;
}
