/* Strict mode: an EDT returns a counted event whose dependences are used up. */
// misuse: OCR-2.7-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT returned counted event 0x
// stderr: but it takes no more dependences
// stderr: seen at the end of EDT 0x
// stderr: (returns)
// stderr: created by ocrEventCreateParams in EDT 0x
// stderr: nbDeps of a counted event's parameters

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
