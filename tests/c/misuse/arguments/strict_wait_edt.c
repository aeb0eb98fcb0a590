/* Strict mode: a thread waits for an EDT. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrWait: outputEvent is an EDT 0x
// stderr: (function):
// stderr: created by ocrEdtCreate in EDT 0x
// stderr: pass the address of a GUID as outputEvent
#include "strict.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrWait(EDT(function, 0, NULL, 1, NULL));
    return NULL_GUID;
}
