/* Strict mode: an EDT destroys itself. */
// misuse: OCR-2.7.4-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtDestroy: the EDT is runnable or running
// stderr: (destroys_itself)

#include "strict.h"

static ocrGuid_t destroys_itself(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrEdtDestroy(*(ocrGuid_t *)depv[0].ptr);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(ocrGuid_t), &addr), edt = EDT(destroys_itself, 0, NULL, 1, NULL);
    *(ocrGuid_t *)addr = edt;
    OK(ocrDbRelease(block));
    link_to(block, edt, 0, DB_MODE_RO);
    return NULL_GUID;
}
