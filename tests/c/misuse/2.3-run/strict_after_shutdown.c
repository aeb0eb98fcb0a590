/* Strict mode: an EDT goes on behind ocrShutdown. */
// misuse: OCR-2.3.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCreate: this EDT has called ocrShutdown before
// stderr: OCR 1.1.0, 2.5.1

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid;
    void *addr;
    ocrShutdown();
    ocrDbCreate(&guid, &addr, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    return NULL_GUID;
}
