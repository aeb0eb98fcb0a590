/* Strict mode: an EDT ends with a group open. */
// misuse: OCR-db-by-value-f
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT has ended with a group open
// stderr: (opens)

#include "strict.h"
#include <extensions/ocr-db-by-value.h>

static ocrGuid_t opens(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrGroupBegin());
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    EDT(opens, 0, NULL, 0, NULL);
    return NULL_GUID;
}
