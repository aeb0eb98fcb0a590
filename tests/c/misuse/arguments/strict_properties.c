/* Strict mode: properties that do not exist: arguments in the wrong order. */
// misuse: OCR-arguments-i
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtCreate: properties has bits that no property has: 0x10

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid, tmpl = TEMPLATE(end_edt, 0, 0);
    ocrEdtCreate(&guid, tmpl, 0, NULL, 0, NULL, DB_PROP_NO_ACQUIRE, NULL_HINT, NULL);
    return NULL_GUID;
}
