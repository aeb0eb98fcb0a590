// Of an event whose satisfaction waits for a data block on a label, the message about a hang does not say that
// the satisfaction is missing.
//
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: whose satisfaction waits for a labeled GUID, as said below
// stderr: ocrEventSatisfy of 0x
// stderr: waits until an object is created on the labeled GUID 0x
// stderr-without: was never satisfied
// needs: halt
#include "check.h"

#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, block;
    const ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
    OK(ocrGuidFromIndex(&block, range, 0));
    link_to(event, spawn(end_edt, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    OK(ocrEventSatisfy(event, block));
    return NULL_GUID;
}
