/* Strict mode: the value of a hint must be a place, and is a GUID that was never set. */
// misuse: OCR-affinity-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrSetHintValue: value is 0x5a5a5a5a5a5a5a5a, which stands for no place
// stderr: what to do: Pass ocrAffinityToHintValue
#include "strict.h"
#include <extensions/ocr-affinity.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t places[4];
    ocrHint_t hint;
    u64 count = 4;
    memset(places, 0x5a, sizeof places);
    OK(ocrAffinityGet(AFFINITY_PD, &count, places));
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(NULL_GUID)));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(places[0])));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 0x5a5a5a5a));
    ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(places[3]));
    return NULL_GUID;
}
