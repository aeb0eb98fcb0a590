/* Strict mode: an output event is connected when its EDT has ended. */
// misuse: OCR-2.7.3-i
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: an output event was used after it had triggered (argument source)
// stderr: of EDT 0x
// stderr: (quick)
// stderr: satisfied by the end of its EDT
// stderr: connect its output event, and satisfy that pre-slot last

#include "strict.h"

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrAddDependence(((ocrGuid_t *)paramv)[0], END(1), 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = EDT_WITH(quick, 0, NULL, 1, &hold, &done);
    EDT(late, 1, (u64 *)&done, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
