/* Strict mode: depv of an EDT that has ended is written. */
// misuse: OCR-2.7-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: depv of EDT 0x
// stderr: (keeps) was written after that had ended
// stderr: Look for a pointer to it
#include "strict.h"

static ocrEdtDep_t *kept;

static ocrGuid_t keeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    kept = depv;
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    kept[0].ptr = NULL;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t hold = UNINITIALIZED_GUID, done;
    ocrGuid_t first = spawn_with(keeps, 0, NULL, 1, &hold, EDT_PROP_NONE, &done);
    spawn(writes, 0, NULL, 1, &done);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
