/* A finish EDT returns the completion event of a copy, which goes when it has been passed on. */
// clause: ocr-db.h
// env: OCR_CHECK=leaks
#include "check.h"

static ocrGuid_t copies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t event;
    OK(ocrDbCopy(depv[0].guid, 0, depv[1].guid, 0, sizeof(u64), 0, &event));
    return event;
}

static ocrGuid_t sees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 2);
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrDbDestroy(depv[1].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, event, end = end_after(20);
    for (u32 i = 0; i < 20; i++) {
        ocrGuid_t to = block_with(1), from = block_with(2),
                  after = spawn_with(sees, 0, NULL, 2, NULL, EDT_PROP_NONE, &done);
        ocrGuid_t edt = spawn_with(copies, 0, NULL, 2, NULL, EDT_PROP_FINISH, &event);
        link_to(done, end, i, DB_MODE_NULL);
        link_to(event, after, 0, DB_MODE_CONST);
        link_to(from, after, 1, DB_MODE_CONST);
        link_to(to, edt, 0, DB_MODE_RO);
        link_to(from, edt, 1, DB_MODE_RO);
    }
    return NULL_GUID;
}
