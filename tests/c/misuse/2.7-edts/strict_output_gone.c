/* Strict mode: the output event of an EDT is satisfied when that has ended. */
// misuse: OCR-2.7.3-j
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: an output event was satisfied after it had triggered (argument eventGuid)

#include "strict.h"

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEventSatisfy((ocrGuid_t){(s64)paramv[0]}, NULL_GUID);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, hold = UNINITIALIZED_GUID;
    ocrGuid_t first = EDT_WITH(nothing, 0, NULL, 1, &hold, &output);
    ocrGuid_t second = EDT(satisfies, 1, (u64 *)&output, 1, NULL);
    link_to(output, second, 0, DB_MODE_NULL);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
