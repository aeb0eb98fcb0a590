/* Strict mode: an event that was created without EVT_PROP_TAKES_ARG is satisfied with a data block. */
// misuse: OCR-2.6.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: eventGuid (0x
// stderr: is a sticky event that was created without EVT_PROP_TAKES_ARG, and is given a data block
// stderr: created by ocrEventCreate in EDT 0x
// stderr: OCR 1.1.0, 2.6.3; 2.6.1
// stderr: Pass EVT_PROP_TAKES_ARG to the function that creates the event

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event, block = block_with(1);
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    link_to(event, END(1), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(event, block));
    return NULL_GUID;
}
