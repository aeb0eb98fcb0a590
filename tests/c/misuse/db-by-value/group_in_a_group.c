/* Strict mode: a group in a group. */
// misuse: OCR-db-by-value-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGroupBegin: the EDT has a group open

#include "strict.h"
#include <extensions/ocr-db-by-value.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrGroupBegin());
    ocrGroupBegin();
    return NULL_GUID;
}
