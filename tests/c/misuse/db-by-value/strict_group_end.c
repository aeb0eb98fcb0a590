/* Strict mode: a group is ended twice. */
// misuse: OCR-db-by-value-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGroupEnd: the EDT has no group open

#include "strict.h"
#include <extensions/ocr-db-by-value.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrGroupBegin());
    OK(ocrGroupEnd());
    ocrGroupEnd();
    return NULL_GUID;
}
