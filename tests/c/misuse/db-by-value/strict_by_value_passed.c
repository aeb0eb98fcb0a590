/* Strict mode: what was passed by value is passed on as a block. */
// misuse: OCR-db-by-value-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrAddDependence: source (0x
// stderr: ) was passed by value, and cannot be passed on as a block
// stderr: created by ocrAddDependenceByValue in EDT
// stderr: (mainEdt)

#include "strict.h"
#include <extensions/ocr-db-by-value.h>

static ocrGuid_t passes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrAddDependence(depv[0].guid, END(1), 0, DB_MODE_RO);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(8, &addr);
    OK(ocrAddDependenceByValue(block, EDT(passes_on, 0, NULL, 1, NULL), 0, DB_MODE_RO));
    return NULL_GUID;
}
