/* Strict mode: the output event of an EDT is satisfied by a call, so that who waits for the EDT runs before it. */
// misuse: OCR-2.7.3-k
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: eventGuid (0x
// stderr: ) is the output event of EDT 0x
// stderr: (worker), which the runtime satisfies
// stderr: what it passes on is the value that it returns
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, edt = EDT_WITH(worker, 0, NULL, 1, NULL, &done);
    (void)edt;
    ocrEventSatisfy(done, NULL_GUID);
    return NULL_GUID;
}
