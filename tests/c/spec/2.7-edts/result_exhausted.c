/*
 * An EDT returns a counted event whose dependences are used up: that is reported, and what depends on the EDT gets no
 * data, but does not wait indefinitely. Strict mode takes it for a misuse.
 */
// clause: 2.7
// revisions: plain strict
// [plain] stderr: (returns) has returned the event 0x
// [plain] stderr: but it takes no more dependences: its output event is satisfied with NULL_GUID
// [strict] misuse: OCR-2.7-b
// [strict] status: 1
// [strict] stderr: strict mode: an EDT returned counted event 0x
// [strict] stderr: but it takes no more dependences
// [strict] stderr: seen at the end of EDT 0x
// [strict] stderr: (returns)
// [strict] stderr: created by ocrEventCreateParams in EDT 0x
// [strict] stderr: nbDeps of a counted event's parameters
// one-node: the message names the node of the EDT, and not its function

#include "strict.h"

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t returns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return (ocrGuid_t){(s64)paramv[0]};
}

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(ocrGuidIsNull(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t counted, output;
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 1}};
    OK(ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params));
    link_to(counted, EDT(nothing, 0, NULL, 1, NULL), 0, DB_MODE_NULL);
    u64 param = (u64)counted.guid;
    ocrGuid_t first = EDT_WITH(returns, 1, &param, 1, NULL, &output);
    EDT(gets, 0, NULL, 1, &output);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
