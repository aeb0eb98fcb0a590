/* Strict mode: the same of a block that it has got through a pre-slot; a dependence of the event on the block satisfies
 * it. */
// misuse: OCR-2.6.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an event is satisfied with a data block (ocrAddDependence) that the EDT has written and not released
// stderr: seen in ocrAddDependence, called by EDT 0x
// stderr: (hasty)
// stderr: Call ocrDbRelease between the last write and ocrAddDependence

#include "strict.h"

static ocrGuid_t hasty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    OK(ocrAddDependence(depv[0].guid, *(ocrGuid_t *)paramv, 0, DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_ONCE_T), block = block_with(1), edt;
    link_to(event, END(1), 0, DB_MODE_EW);
    edt = EDT(hasty, 1, (u64 *)&event, 1, NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
