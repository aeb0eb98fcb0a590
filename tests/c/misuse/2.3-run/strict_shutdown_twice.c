/* Strict mode: ocrShutdown twice in one EDT. */
// misuse: OCR-2.3.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrShutdown: this EDT has called ocrShutdown before
// stderr: OCR 1.1.0, 2.3.1

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    ocrShutdown();
    return NULL_GUID;
}
