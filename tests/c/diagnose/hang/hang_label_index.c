// The message about a program that hangs says where the labeled GUIDs that it names are in their ranges.
//
// clause: hang
// status: 1
// stderr: (end_edt) at index 5 of the range 0x
// stderr: waits on
// stderr: the sticky event 0x
// stderr: at index 3 of the range 0x
// stderr: at index 2 of the map 0x
// stderr: which was never satisfied
// needs: halt
#include "check.h"

#include <extensions/ocr-labeling.h>

static ocrGuid_t third(ocrGuid_t start, u64 stride, s64 *params, s64 *tuple) {
    (void)params, (void)tuple;
    return addValueToGuid(start, 2 * stride);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t events, edts, event, edt, map, mapped;
    s64 tuple[] = {0};
    OK(ocrGuidRangeCreate(&events, 10, GUID_USER_EVENT_STICKY));
    OK(ocrGuidRangeCreate(&edts, 10, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&event, events, 3));
    OK(ocrGuidFromIndex(&edt, edts, 5));
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    OK(ocrEdtCreate(&edt, template_of(end_edt, 0, 2), 0, NULL, 2, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrGuidMapCreate(&map, 0, third, NULL, 4, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromLabel(&mapped, map, tuple));
    OK(ocrEventCreate(&mapped, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    link_to(event, edt, 0, DB_MODE_NULL);
    link_to(mapped, edt, 1, DB_MODE_NULL);
    return NULL_GUID;
}
