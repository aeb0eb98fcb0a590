/* Strict mode: the place of an OpenCL device is asked for that is not in use. */
// misuse: OCR-affinity-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAffinityQuery: guid (0x
// stderr: ) is a place that there is not
// stderr: extensions/ocr-affinity.h
// stderr: Pass what ocrAffinityGet

#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t here, place;
    u64 count = 1;
    OK(ocrAffinityGetCurrent(&here));
    ocrAffinityQuery(addValueToGuid(here, 60), &count, &place);
    return NULL_GUID;
}
