/* Strict mode: a range of labeled GUIDs is given a hint. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrSetHint: guid is a label range 0x
// stderr: , not an EDT, a template, an event or a data block
// stderr: created by ocrGuidRangeCreate in EDT
// stderr: Pass one of its GUIDs

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    ocrHint_t hint;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    ocrSetHint(range, &hint);
    return NULL_GUID;
}
