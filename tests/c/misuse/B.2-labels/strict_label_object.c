/* Strict mode: a data block should be created on the GUID of another one, which is no label. */
// misuse: OCR-B.2.3-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbCreate: *db is the GUID of a data block 0x
// stderr: , not a labeled GUID for data blocks
// stderr: created by ocrDbCreate in EDT

#include "strict.h"
#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    void *addr;
    ocrDbCreate(&block, &addr, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC);
    return NULL_GUID;
}
