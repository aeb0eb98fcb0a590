/* Strict mode: a sticky event is satisfied twice, by the output events of two EDTs that it depends on. */
// misuse: OCR-1.4.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a sticky event was satisfied twice
// stderr: seen when it was satisfied by an event that it depends on
// stderr: created by ocrEventCreate in EDT
// stderr: made to depend on output event 0x
// stderr: made to depend on output event 0x
// stderr: one dependence, or the end of one EDT
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t outputs[2], edts[2], sticky = event_of(OCR_EVENT_STICKY_T);
    for (int n = 0; n < 2; n++) {
        edts[n] = EDT_WITH(worker, 0, NULL, 1, NULL, &outputs[n]);
        link_to(outputs[n], sticky, 0, DB_MODE_NULL);
    }
    for (int n = 0; n < 2; n++)
        link_to(NULL_GUID, edts[n], 0, DB_MODE_NULL);
    return NULL_GUID;
}
