/* Strict mode: a template as the cause of another one. */
// misuse: OCR-debug-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrNoteCausality: sourceTask or destinationTask is not the GUID of an EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = TEMPLATE(end_edt, 0, 0);
    ocrNoteCausality(tmpl, tmpl);
    return NULL_GUID;
}
