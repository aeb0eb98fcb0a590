/* Strict mode: an EDT asks about the runtime and has not paused it. */
// misuse: OCR-pause-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrQuery: the caller has not paused the runtime
// stderr: Ask only after a 1
#include "strict.h"
#include <extensions/ocr-pause.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *result;
    u32 size;
    ocrQuery(OCR_QUERY_ALL_EDTS, NULL_GUID, &result, &size, 0);
    return NULL_GUID;
}
