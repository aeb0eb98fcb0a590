/* Strict mode: a GUID is read from the parameters of an EDT that has ended. */
// misuse: OCR-arguments-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: eventGuid (0xb7b7b7b7b7b7b7b7) is not
// stderr: it was read by a pointer that was kept
#include "strict.h"

static u64 *kept;

static ocrGuid_t keeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    kept = paramv;
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = *(ocrGuid_t *)&kept[1];
    ocrEventSatisfy(event, NULL_GUID);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), hold = UNINITIALIZED_GUID, done;
    u64 params[] = {1, 0};
    memcpy(&params[1], &event, sizeof event);
    ocrGuid_t first = spawn_with(keeps, 2, params, 1, &hold, EDT_PROP_NONE, &done);
    spawn(reads, 0, NULL, 1, &done);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
