/* Strict mode: an EDT returns a labeled GUID that is one for EDTs, of which there is none. */
// misuse: OCR-2.7-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT returned 0x
// stderr: which is a labeled GUID for EDTs
// stderr: seen at the end of EDT 0x
// stderr: (mainEdt)
// stderr: return NULL_GUID;

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 0));
    END(1);
    return label;
}
