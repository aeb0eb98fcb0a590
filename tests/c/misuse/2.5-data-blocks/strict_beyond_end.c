/* Strict mode: an EDT writes one element more than its data block has. */
// misuse: OCR-2.5.1-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: a data block of 100 bytes was written beyond its end, at byte 100, while EDT 0x
// stderr: (writer) held it in mode DB_MODE_EW, through pre-slot 0
// stderr: seen when EDT 0x
// stderr: pre-slot 0 connected to data block 0x
// stderr: created by ocrDbCreate in EDT
// stderr: len of ocrDbCreate
// stderr: counts bytes, not elements

#include "strict.h"

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 *numbers = depv[0].ptr;
    for (u32 i = 0; i <= 25; i++) {
        numbers[i] = i;
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(100, &addr);
    OK(ocrDbRelease(block));
    link_to(block, EDT(writer, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
