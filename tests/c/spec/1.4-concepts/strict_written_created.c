/* Strict mode notes that a block is written after an EDT was created that has it in depv and nothing else to wait for:
 * that may run before the write. */
// clause: 1.4.4
// unordered: strict mode notes that a block is written after an EDT was created that has it
// env: OCR_CHECK=strict
// workers: 1
// stderr: ocr: note: strict mode: while EDT 0x
// stderr: (mainEdt) held it, data block 0x
// stderr: was written after ocrEdtCreate had made EDT 0x
// stderr: (uses) ready to run, which has it in mode DB_MODE_RW: whether
// stderr: ask for DB_MODE_EW in ocrAddDependence
// stderr-without: ocr: error
#include "strict.h"

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t block = block_of(sizeof(u64), &address);
    *(u64 *)address = 1;
    spawn(uses, 0, NULL, 1, &block);
    *(u64 *)address = 2;
    return NULL_GUID;
}
