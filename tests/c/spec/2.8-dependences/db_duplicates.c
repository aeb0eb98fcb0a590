/*
 * 2.8.1: one block on several slots of one EDT, straight and through events: the same pointer, one
 * acquire, one release; in each mode, and in two, which strict mode refuses and programs do. An
 * exclusive one does not wait for itself.
 */
// clause: 2.8.1
// deviates: 1.4.4
#include "check.h"

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < depc; i++) {
        CHECK(depv[i].ptr == depv[0].ptr);
        CHECK(ocrGuidIsEq(depv[i].guid, depv[0].guid));
    }
    CHECK_EQ(number_in(depv[depc - 1]), 9);
    if (paramv[0] % 2 == 0) {
        OK(ocrDbRelease(depv[1].guid));
        REFUSED(OCR_EACCES, ocrDbRelease(depv[2].guid));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { SLOTS = 6 };
    const ocrDbAccessMode_t modes[] = {DB_MODE_EW, DB_MODE_RW, DB_MODE_CONST, DB_MODE_RO};
    ocrGuid_t block = block_with(9), last = end_after(64);
    for (u64 n = 0; n < 64; n++) {
        ocrGuid_t output, edt = spawn_with(reads, 1, &n, SLOTS, NULL, EDT_PROP_NONE, &output);
        ocrDbAccessMode_t mode = modes[n / 2 % 4], other = modes[n / 8 % 4];
        link_to(output, last, (u32)n, DB_MODE_NULL);
        ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
        for (u32 i = 0; i < SLOTS; i++) {
            link_to(i % 2 ? event : block, edt, i, i < 2 ? mode : other);
        }
        OK(ocrEventSatisfy(event, block));
    }
    return NULL_GUID;
}
