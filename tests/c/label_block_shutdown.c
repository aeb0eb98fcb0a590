/*
 * The program ends while an EDT waits for a label: its call returns OCR_ECANCELED, and the EDT comes to its end.
 */
#include "check.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t s_label;

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid = s_label;
    spawn(ends, 0, NULL, 0, NULL);
    REFUSED(OCR_ECANCELED, ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK));
    CHECK(ocrGuidIsEq(guid, s_label));
    REFUSED(OCR_ECANCELED, ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&s_label, range, 0));
    OK(ocrEventCreate(&s_label, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    spawn(waits, 0, NULL, 0, NULL);
    return NULL_GUID;
}
