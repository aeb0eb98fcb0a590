/*
 * 1.4.3 once events: all that is linked is served with the data, then the event is gone; with and
 * without waiters; created for data or not (EVT_PROP_NONE carries data all the same).
 */
// clause: 1.4.3 2.6.3
#include "check.h"

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < depc; i++) {
        if (paramv[0] == 0) {
            CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
        } else {
            CHECK_EQ(number_in(depv[i]), paramv[0]);
        }
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { EVENTS = 100, EDTS = 10 };
    ocrGuid_t last = end_after(EVENTS * EDTS);
    for (u64 n = 0; n < EVENTS; n++) {
        ocrGuid_t event;
        OK(ocrEventCreate(&event, OCR_EVENT_ONCE_T, n % 3 ? EVT_PROP_TAKES_ARG : EVT_PROP_NONE));
        u64 value = n % 2 ? n : 0;
        for (u64 i = 0; i < EDTS; i++) {
            ocrGuid_t output, edt = spawn_with(gets, 1, &value, (u32)(1 + i), NULL, EDT_PROP_NONE, &output);
            link_to(output, last, (u32)(n * EDTS + i), DB_MODE_NULL);
            for (u32 slot = 0; slot <= i; slot++) {
                link_to(event, edt, slot, i % 2 ? DB_MODE_CONST : DB_MODE_RO);
            }
        }
        if (n % 5 == 1) {
            OK(ocrEventSatisfySlot(event, value ? block_with(value) : NULL_GUID, 0));
        } else {
            OK(ocrEventSatisfy(event, value ? block_with(value) : NULL_GUID));
        }
        /* Gone: the GUID names nothing now. */
        REFUSED(OCR_EINVAL, ocrEventSatisfy(event, NULL_GUID));
        REFUSED(OCR_EINVAL, ocrEventDestroy(event));

        OK(ocrEventCreate(&event, OCR_EVENT_ONCE_T, true));
        OK(ocrEventSatisfy(event, NULL_GUID));
        REFUSED(OCR_EINVAL, ocrEventSatisfy(event, NULL_GUID));
    }
    return NULL_GUID;
}
