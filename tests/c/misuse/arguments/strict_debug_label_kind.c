/* Strict mode: a range of labeled GUIDs is given a debug label. */
// misuse: OCR-arguments-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAttachDebugLabel: object is a label range 0x
// stderr: , not an EDT, a template, an event, a data block or a map
// stderr: created by ocrGuidRangeCreate in EDT
// stderr: extensions/ocr-debug.h

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    ocrAttachDebugLabel(range, "range", 0, NULL);
    return NULL_GUID;
}
