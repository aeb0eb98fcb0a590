/* Strict mode: there is no room for the places. */
// misuse: OCR-arguments-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAffinityGet: affinities is NULL

#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count = 1;
    ocrAffinityGet(AFFINITY_PD, &count, NULL);
    return NULL_GUID;
}
