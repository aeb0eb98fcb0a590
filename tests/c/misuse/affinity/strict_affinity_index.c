/* Strict mode: there is one machine. */
// misuse: OCR-affinity-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAffinityGetAt: there is no place 1 of the kind AFFINITY_PD
// stderr: idx is less than what ocrAffinityCount stores

#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t place;
    ocrAffinityGetAt(AFFINITY_PD, 1, &place);
    return NULL_GUID;
}
