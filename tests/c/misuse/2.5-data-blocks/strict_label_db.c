/* Strict mode: a labeled data block is refused for its allocator; the label is not accused. */
// misuse: OCR-2.5.1-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCreate: there is no allocator 7
// stderr: allocator is NO_ALLOC (OCR 1.1.0, 2.5.1)

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    void *addr;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 1));
    /* What the machine lacks is no misuse, with a label or without. */
    REFUSED(OCR_ENOMEM, ocrDbCreate(&label, &addr, (u64)1 << 60, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    ocrDbCreate(&label, &addr, 8, GUID_PROP_CHECK, NULL_HINT, (ocrInDbAllocator_t)7);
    return NULL_GUID;
}
