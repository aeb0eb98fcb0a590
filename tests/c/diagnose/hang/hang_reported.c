/*
 * A program that never ends: nothing runs, nothing can, ocrShutdown was not called. A message says so,
 * with the name of the EDT that waits, and ends with a status that is not zero.
 */
// clause: hang
// status: nonzero
// stderr: waits_forever
// needs: halt
#include "check.h"

static ocrGuid_t waits_forever(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    /* named here, as the name of the function in the source is the name in the message */
    ocrGuid_t tmpl, edt, slots[] = {event_of(OCR_EVENT_STICKY_T), NULL_GUID, UNINITIALIZED_GUID};
    OK(ocrEdtTemplateCreate(&tmpl, waits_forever, 0, 3));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 3, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
