/* Strict mode: it is seen before an EDT runs that its data block was written beyond the end, so it is not accused. */
// misuse: OCR-2.5.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block of 8 bytes was written beyond its end, at byte 8, after EDT 0x
// stderr: (mainEdt) was done with it
// stderr: seen before the start of EDT 0x

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(8, &addr), end = END(1);
    OK(ocrDbRelease(block));
    ((char *)addr)[8] = 1;
    link_to(block, end, 0, DB_MODE_RO);
    return NULL_GUID;
}
