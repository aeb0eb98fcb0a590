/* Where no EDT has a kernel, OCR_REDUNDANT says that it has compared nothing. */
// clause: ocr-variants.h
// env: OCR_REDUNDANT=2
// stderr: OCR_REDUNDANT has compared nothing: no EDT has run that has a C function, and a kernel for a device in use
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    end_after(0);
    return NULL_GUID;
}
