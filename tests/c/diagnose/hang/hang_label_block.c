// clause: hang
// status: 1
// stderr: the program hangs
// stderr: (waits_in_vain)
// stderr: waits in ocrEventCreate on a label, until the sticky event with the labeled GUID 0x
// needs: halt
/*
 * Two EDTs wait for labels that no EDT gives free, after two others have waited and gone on: that is a hang, and the
 * message says who waits for which.
 */
#include "check.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t waits_in_vain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t guid = {(s64)paramv[0]};
    ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK);
    CHECK(!"the call returns though the event is not destroyed");
    return NULL_GUID;
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t guid = {(s64)paramv[0]};
    OK(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, GUID_PROP_BLOCK));
    OK(ocrEventSatisfy(guid, NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t lets_go_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t guid = {(s64)paramv[0]};
    OK(ocrEventSatisfy(guid, NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, tmpl, edt;
    OK(ocrEdtTemplateCreate(&tmpl, waits_in_vain, 1, 0));
    OK(ocrGuidRangeCreate(&range, 3, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&edt, range, 2));
    OK(ocrEventCreate(&edt, OCR_EVENT_ONCE_T, GUID_PROP_CHECK));
    u64 free_later = (u64)edt.guid;
    spawn(lets_go_on, 1, &free_later, 0, NULL);
    spawn(goes_on, 1, &free_later, 0, NULL);
    spawn(goes_on, 1, &free_later, 0, NULL);
    for (u64 i = 0; i < 2; i++) {
        ocrGuid_t guid;
        OK(ocrGuidFromIndex(&guid, range, i));
        OK(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
        u64 param = (u64)guid.guid;
        OK(ocrEdtCreate(&edt, tmpl, 1, &param, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    return NULL_GUID;
}
