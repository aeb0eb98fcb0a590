/* An EDT waits for the output event of one that has ended and returned an event, which is never satisfied; in strict
 * mode, where output events are objects, too. */
// clause: hang
// revisions: plain strict
// status: 1
// stderr: (returns), which has ended and returned another event, which depends on the sticky event
// stderr: which was never satisfied (ocrEventSatisfy)
// needs: halt
#include "check.h"

static ocrGuid_t returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return event_of(OCR_EVENT_STICKY_T);
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"what it waits for is not satisfied");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, open = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(returns, 0, NULL, 1, &open, EDT_PROP_NONE, &output);
    spawn(never, 0, NULL, 1, &output);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
