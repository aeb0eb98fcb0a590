/* Strict mode: a dependence is added to an EDT whose pre-slots are all satisfied: here by itself. */
// misuse: OCR-2.8.1-h
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: all pre-slots of the EDT are satisfied

#include "strict.h"

static ocrGuid_t itself(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrAddDependence(NULL_GUID, *(ocrGuid_t *)depv[0].ptr, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(ocrGuid_t), &addr), edt = EDT(itself, 0, NULL, 1, NULL);
    *(ocrGuid_t *)addr = edt;
    OK(ocrDbRelease(block));
    link_to(block, edt, 0, DB_MODE_RO);
    return NULL_GUID;
}
