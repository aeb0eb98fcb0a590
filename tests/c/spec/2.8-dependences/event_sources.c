/*
 * 2.8.1: a block as source of an event satisfies it; NULL_GUID as source satisfies events and EDTs
 * without data; both NULL_GUID: nothing, and no error. Slots of one EDT filled all these ways.
 */
// clause: 2.8.1
#include "check.h"

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 8);
    for (u32 i = 0; i < 4; i++) {
        CHECK_EQ(number_in(depv[i]), 17);
    }
    for (u32 i = 4; i < 8; i++) {
        CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrAddDependence(NULL_GUID, NULL_GUID, 0, DB_MODE_RW));
    OK(ocrEventSatisfy(NULL_GUID, NULL_GUID));
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T};
    ocrGuid_t edt = spawn(gets, 0, NULL, 8, NULL), block = block_with(17);
    link_to(block, edt, 3, DB_MODE_CONST);
    link_to(NULL_GUID, edt, 7, DB_MODE_CONST);
    for (u32 i = 0; i < 3; i++) {
        ocrGuid_t with = event_of(types[i]), without = event_of(types[i]);
        link_to(with, edt, i, DB_MODE_CONST);
        link_to(without, edt, 4 + i, DB_MODE_CONST);
        link_to(block, with, 0, DB_MODE_NULL); /* the mode is ignored here */
        link_to(NULL_GUID, without, 0, DB_MODE_EW);
        if (types[i] == OCR_EVENT_STICKY_T) {
            REFUSED(OCR_EPERM, ocrAddDependence(NULL_GUID, with, 0, DB_MODE_EW));
        }
    }
    return NULL_GUID;
}
