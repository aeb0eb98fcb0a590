/* Strict mode: the size of no block. */
// misuse: OCR-arguments-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbGetSize: db is NULL_GUID
// stderr: from a pre-slot without a data block
#include "strict.h"
#include <extensions/ocr-db-info.h>

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 size;
    ocrDbGetSize(depv[0].guid, &size);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t none = NULL_GUID;
    spawn(asks, 0, NULL, 1, &none);
    return NULL_GUID;
}
