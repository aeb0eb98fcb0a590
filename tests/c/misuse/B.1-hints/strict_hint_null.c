/* Strict mode: the hints of an EDT are asked for without a place for them. */
// misuse: OCR-B.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGetHint: hint is NULL
// stderr: EDT 0x
// stderr: (end_edt):
// stderr: created by ocrEdtCreate in EDT
// stderr: OCR 1.1.0, B.1.7

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGetHint(END(1), NULL_HINT);
    return NULL_GUID;
}
