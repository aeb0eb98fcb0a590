/* Strict mode: a sticky event is satisfied by two EDTs. */
// misuse: OCR-1.4.3-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrEventSatisfy: a sticky event was satisfied twice
// stderr: created by ocrEventCreate in EDT
// stderr: (mainEdt)
// stderr: satisfied by ocrEventSatisfy in EDT
// stderr: (first)
// stderr: in EDT
// stderr: (second): ocrEventSatisfy(eventGuid 0x
// stderr: OCR 1.1.0, 2.6.3
// stderr: OCR_EVENT_IDEM_T

#include "strict.h"

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEventSatisfy(((ocrGuid_t *)paramv)[0], NULL_GUID);
    return NULL_GUID;
}

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    OK(ocrEventSatisfy(((ocrGuid_t *)paramv)[0], NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, event = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t edt = EDT_WITH(first, 1, (u64 *)&event, 1, &hold, &done);
    EDT(second, 1, (u64 *)&event, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
