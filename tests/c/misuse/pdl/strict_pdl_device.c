/* Strict mode: what is no place is asked for a property of one. */
// misuse: OCR-pdl-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: pdlGetDevicePropertyInt: device (0x
// stderr: is no place
// stderr: ocrAffinityGetAt
#include "strict.h"
#include <extensions/ocr-pdl.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 value = 0;
    pdlGetDevicePropertyInt(depv[0].guid, "thread-count", &value);
    return NULL_GUID;
}
