/* An EDT that writes before its depv is reported. */
// misuse: OCR-1.4.2-a
// status: 1
// env: OCR_CHECK=strict
// stderr: an EDT with 1 pre-slot has written depv[-1]
#include "check.h"

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    volatile int before = -(int)depc;
    depv[before].ptr = NULL;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t none = NULL_GUID;
    spawn(writes, 0, NULL, 1, &none);
    return NULL_GUID;
}
