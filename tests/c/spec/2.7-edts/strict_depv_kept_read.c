/* Strict mode: a pointer is read from depv of an EDT that has ended, and used. */
// clause: 2.7
// env: OCR_CHECK=strict
// needs: signals
#include "crash.h"

static ocrEdtDep_t *kept;

static void uses(ocrEdtDep_t depv[]) {
    (void)depv;
    result = *(int *)kept[0].ptr;
}

static ocrGuid_t keeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    kept = depv;
    return NULL_GUID;
}

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    crash(uses, depv, SIGSEGV, "Strict mode fills paramv and depv of EDTs that have ended with bytes 0xb7");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t hold = UNINITIALIZED_GUID, done;
    ocrGuid_t first = spawn_with(keeps, 0, NULL, 1, &hold, EDT_PROP_NONE, &done);
    spawn(crashes, 0, NULL, 1, &done);
    link_to(block_with(7), first, 0, DB_MODE_RO);
    return NULL_GUID;
}
