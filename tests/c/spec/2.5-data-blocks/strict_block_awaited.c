/* Strict mode: a data block is destroyed before an EDT that needs it could run. Who did it is said. */
// clause: 2.5.2
// env: OCR_CHECK=strict
// status: 1
// stderr: cannot acquire the data block
// stderr: destroyed by ocrDbDestroy in EDT
// stderr: (mainEdt)
// stderr: created by ocrDbCreate in EDT

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1), end = END(2);
    link_to(block, end, 0, DB_MODE_RO);
    OK(ocrDbDestroy(block));
    link_to(NULL_GUID, end, 1, DB_MODE_NULL);
    return NULL_GUID;
}
