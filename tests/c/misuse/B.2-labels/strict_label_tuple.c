/* Strict mode: the function of a map answers a tuple with a GUID that is beyond the map's. */
// misuse: OCR-B.2.2.4-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGuidFromLabel: the function of the map has returned 0x
// stderr: , which is startGuid + 7: not one of its 6 GUIDs
// stderr: created by ocrGuidMapCreate in EDT
// stderr: with i from 0 to 5

#include "strict.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t row_major(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    return addValueToGuid(start, (u64)(tuple[0] * params[0] + tuple[1]) * skip);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t map, label;
    s64 columns = 3, inside[] = {1, 2}, outside[] = {2, 1};
    OK(ocrGuidMapCreate(&map, 1, row_major, &columns, 6, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromLabel(&label, map, inside));
    ocrGuidFromLabel(&label, map, outside);
    return NULL_GUID;
}
