/*
 * Strict mode: a dependence is added to a pre-slot that the EDT does not have, by an EDT with a label. Of those that it
 * has, a few are named.
 */
// misuse: OCR-2.8.1-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: slot 9 is out of range: the EDT has pre-slots 0 to 8
// stderr: (links) "the linker": ocrAddDependence(source 0x
// stderr: (end_edt) "the end":
// stderr: pre-slot 0 connected to data block 0x
// stderr: "block 0" by ocrEventSatisfySlot in EDT 0x
// stderr: (links) "the linker"
// stderr: pre-slot 3 connected to data block 0x
// stderr-without: pre-slot 4 connected
// stderr: and 2 more pre-slots
// stderr: "block 6"
// stderr: Slots count from 0

#include "strict.h"

static ocrGuid_t links(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t end = *(ocrGuid_t *)depv[0].ptr;
    for (u64 slot = 0; slot < 7; slot++) {
        ocrGuid_t block = block_with(slot);
        OK(ocrAttachDebugLabel(block, "block", 1, &slot));
        if (slot == 0)
            OK(ocrEventSatisfySlot(end, block, slot));
        else
            ocrAddDependence(block, end, slot < 6 ? slot : 9, DB_MODE_RO);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = END(9), linker = EDT(links, 0, NULL, 1, NULL), *place;
    ocrGuid_t block = block_of(sizeof end, (void **)&place);
    *place = end;
    OK(ocrDbRelease(block));
    OK(ocrAttachDebugLabel(end, "the end", 0, NULL));
    OK(ocrAttachDebugLabel(linker, "the linker", 0, NULL));
    link_to(block, linker, 0, DB_MODE_RO);
    return NULL_GUID;
}
