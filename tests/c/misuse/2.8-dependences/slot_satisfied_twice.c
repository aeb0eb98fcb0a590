/* Strict mode: a pre-slot of an EDT is satisfied twice, by ocrEventSatisfySlot. */
// misuse: OCR-2.8.1-g
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfySlot: pre-slot 1 is connected already

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt = end_after(2);
    OK(ocrEventSatisfySlot(edt, block_with(1), 1));
    ocrEventSatisfySlot(edt, NULL_GUID, 1);
    return NULL_GUID;
}
