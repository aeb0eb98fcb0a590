/* Strict mode: an EDT has no such slot of storage. */
// misuse: OCR-runtime-itf-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrElsUserSet: there is no slot 4
// stderr: (mainEdt): ocrElsUserSet(offset 4, data 0x1)
// stderr: An EDT has the slots 0 to 3
#include "strict.h"
#include <extensions/ocr-runtime-itf.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrElsUserSet(ELS_USER_SIZE, (ocrGuid_t){1});
    return NULL_GUID;
}
