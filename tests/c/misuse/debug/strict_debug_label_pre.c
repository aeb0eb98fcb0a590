/* Strict mode: the next object is to have a label, and NULL is given. */
// misuse: OCR-debug-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrPreAttachDebugLabel: label is NULL
// stderr: Pass a C string

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrPreAttachDebugLabel(NULL, 0, NULL);
    return NULL_GUID;
}
