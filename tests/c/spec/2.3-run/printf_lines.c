/* 2.3.5: each call is written in one piece, however many EDTs print; nothing is lost at shutdown. */
// clause: 2.3.5
// stdout-lines: 2000 the quick brown fox jumps over the lazy dog 0123456789
#include "check.h"

static ocrGuid_t prints(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < 20; i++) {
        ocrPrintf("%s %s %s %s\n", "the quick brown fox", "jumps over", "the lazy dog", "0123456789");
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < 100; i++) {
        spawn(prints, 0, NULL, 0, NULL);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(all, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
