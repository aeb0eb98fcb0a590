/*
 * DB_MODE_NULL, and 0 or false in its place: a control dependence. The EDT sees neither GUID nor
 * pointer, whatever the source, and does not wait for the block (it is held exclusively here).
 */
// clause: 2.8.1
#include "check.h"

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++) {
        CHECK(ocrGuidIsNull(depv[i].guid));
        CHECK(depv[i].ptr == NULL);
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t holder(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t edt = spawn(checks, 0, NULL, 6, NULL), block = depv[0].guid;
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    link_to(block, edt, 0, DB_MODE_NULL);
    link_to(block, edt, 1, (ocrDbAccessMode_t) false);
    link_to(sticky, edt, 2, DB_MODE_NULL);
    OK(ocrEventSatisfy(sticky, block));
    link_to(sticky, edt, 3, (ocrDbAccessMode_t)0);
    link_to(NULL_GUID, edt, 4, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 5, DB_MODE_CONST);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    link_to(block_with(1), spawn(holder, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
