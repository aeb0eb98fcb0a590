/* Strict mode: there is no such kind of places. */
// misuse: OCR-affinity-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAffinityCount: there is no kind 9 of places
// stderr: in EDT 0x
// stderr: kind is one of ocrAffinityKind (extensions/ocr-affinity.h)
// stderr: Pass AFFINITY_PD

#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count;
    ocrAffinityCount((ocrAffinityKind)9, &count);
    return NULL_GUID;
}
