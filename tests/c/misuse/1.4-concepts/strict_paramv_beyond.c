/* An EDT that writes behind its parameters is reported. */
// misuse: OCR-1.4.2-a
// status: 1
// env: OCR_CHECK=strict
// stderr: an EDT with 2 parameters has written paramv[2]
// stderr: EDT 0x
// stderr: (writes)
#include "check.h"

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    for (volatile u32 at = 0; at < paramc + 3; ++at)
        paramv[at] = at;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 params[] = {1, 2};
    spawn(writes, 2, params, 0, NULL);
    return NULL_GUID;
}
