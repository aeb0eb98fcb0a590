/* Strict mode: an EDT is created with a hint for data blocks, which it would do without. */
// misuse: OCR-B.1.2-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: the hint is for data blocks (OCR_HINT_DB_T), but the object is an EDT
// stderr: template 0x
// stderr: (function), created by ocrEdtTemplateCreate in EDT 0x
// stderr: (OCR 1.1.0, 2.7.3; B.1.2)
// stderr: Call ocrHintInit(&hint, OCR_HINT_EDT_T)
#include "strict.h"
#include <extensions/ocr-hints.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt, tmpl = TEMPLATE(function, 0, 0);
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    ocrEdtCreate(&edt, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, &hint, NULL);
    return NULL_GUID;
}
