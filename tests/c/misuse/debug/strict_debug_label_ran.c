/* Strict mode: an EDT gets a debug label when it has run. */
// misuse: OCR-debug-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAttachDebugLabel: an EDT was used after it had run (argument object)
// stderr: (first):
// stderr: created by ocrEdtCreate in EDT
// stderr: Use ocrPreAttachDebugLabel before its creation

#include "strict.h"

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrAttachDebugLabel(*(ocrGuid_t *)paramv, "first", 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, edt = EDT_WITH(first, 0, NULL, 1, NULL, &done);
    EDT(second, 1, (u64 *)&edt, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
