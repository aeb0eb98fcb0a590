/* 2.3.2: the code given to ocrAbort is the exit status, from a nested EDT, with others about. */
// clause: 2.3.2
// deviates: 2.3.2
// status: 125
#include "check.h"

static ocrGuid_t busy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 left = paramv[0] - 1;
    if (left > 0) {
        spawn(busy, 1, &left, 0, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAbort(OCR_ECANCELED);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 many = 100000;
    for (int i = 0; i < 8; i++) {
        spawn(busy, 1, &many, 0, NULL);
    }
    spawn_with(ends, 0, NULL, 0, NULL, EDT_PROP_FINISH, NULL);
    return NULL_GUID;
}
