/*
 * A hang for want of a satisfaction, at the end of a chain: what the message names is each EDT, the
 * event that is never satisfied, and which of the waiting things only follow from that.
 */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: (waits_forever) waits on
// stderr: pre-slot 0: the sticky event
// stderr: which was never satisfied (ocrEventSatisfy)
// stderr: (follows) waits on
// stderr: (waits_forever), which waits as well
// stderr: the idempotent event
// stderr: which depends on the once event
// needs: halt
#include "check.h"

static ocrGuid_t waits_forever(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

static ocrGuid_t follows(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return waits_forever(paramc, paramv, depc, depv);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t first, second, edt, output, never = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t once = event_of(OCR_EVENT_ONCE_T), idem = event_of(OCR_EVENT_IDEM_T);
    OK(ocrEdtTemplateCreate(&first, waits_forever, 0, 1));
    OK(ocrEdtTemplateCreate(&second, follows, 0, 2));
    OK(ocrEdtCreate(&edt, first, 0, NULL, 1, &never, EDT_PROP_NONE, NULL_HINT, &output));
    /* more than one event target, too */
    link_to(once, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    link_to(once, idem, 0, DB_MODE_NULL);
    OK(ocrEdtCreate(&edt, second, 0, NULL, 2, (ocrGuid_t[]){output, idem}, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
