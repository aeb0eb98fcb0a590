/*
 * Strict mode notes that an output event was connected when its EDT could already run, also where that went well; not
 * where the EDT has to wait for the one that connects.
 */
// clause: 2.7.3
// unordered: strict mode notes that an output event is connected when its EDT can already run
// env: OCR_CHECK=strict
// workers: 1
// stderr: ocr: note: strict mode: ocrAddDependence in EDT 0x
// stderr: (mainEdt) has connected output event 0x
// stderr: (early)
// stderr-without: (waits)
// stderr-without: ocr: error
#include "check.h"

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t early(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(8, &addr), end = end_after(2), open, done;
    ocrGuid_t edt = spawn_with(waits, 0, NULL, 1, NULL, EDT_PROP_NONE, &open);
    link_to(block, edt, 0, DB_MODE_EW);
    link_to(open, end, 0, DB_MODE_NULL);
    spawn_with(early, 0, NULL, 0, NULL, EDT_PROP_NONE, &done);
    link_to(done, end, 1, DB_MODE_NULL);
    return NULL_GUID;
}
