/* Strict mode: a data block is connected with the output event of an EDT, where the EDT was meant. */
// misuse: OCR-2.7.3-l
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: destination (0x
// stderr: ) is the output event of EDT 0x
// stderr: (worker), which the runtime satisfies
// stderr: leads to the EDT itself: pass 0x
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, edt = EDT_WITH(worker, 0, NULL, 1, NULL, &done);
    (void)edt;
    ocrAddDependence(block_with(0), done, 0, DB_MODE_RW);
    return NULL_GUID;
}
