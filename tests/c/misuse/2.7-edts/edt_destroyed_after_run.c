/* Strict mode: an EDT is destroyed after it ran. */
// misuse: OCR-2.7.4-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEdtDestroy: an EDT was used after it had run (argument guid)
// stderr: EDT 0x
// stderr: (quick)
// stderr: created by ocrEdtCreate in EDT
// stderr: it has run to its end

#include "strict.h"

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEdtDestroy(((ocrGuid_t *)paramv)[0]);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = EDT_WITH(quick, 0, NULL, 1, &hold, &done);
    EDT(late, 1, (u64 *)&edt, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
