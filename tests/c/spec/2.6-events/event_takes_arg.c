/* Outside of strict mode an event that was created without EVT_PROP_TAKES_ARG carries a data block all the same:
 * programs of OCR 1.2 rely on it. */
// clause: 2.6.1
#include "check.h"

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++)
        CHECK_EQ(number_in(depv[i]), 5);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T, OCR_EVENT_CHANNEL_T};
    ocrGuid_t block = block_with(5), edt = spawn(ends, 0, NULL, 4, NULL);
    for (u32 i = 0; i < 4; i++) {
        ocrGuid_t event;
        OK(ocrEventCreate(&event, types[i], i % 2 ? false : EVT_PROP_NONE));
        OK(ocrAddDependence(event, edt, i, DB_MODE_RO));
        OK(ocrEventSatisfy(event, block));
    }
    return NULL_GUID;
}
