// Strict mode: of a block that an EDT writes which has it in mode CONST, EDTs are not named that had ended before that
// one began, though they have run since the block was written last. With more workers mainEdt may still run.
//
// misuse: OCR-2.5.3-c
// env: OCR_CHECK=strict
// workers: 1
// status: 1
// stderr: a data block was written while EDT 0x
// stderr: (writes) held it in mode DB_MODE_CONST
// stderr-without: ran meanwhile
#include "strict.h"

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = 7;
    return NULL_GUID;
}

static ocrGuid_t idles(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, block = block_with(1);
    const ocrGuid_t first = EDT_WITH(idles, 0, NULL, 1, NULL, &done);
    const ocrGuid_t second = EDT(writes, 0, NULL, 2, NULL);
    link_to(block, second, 0, DB_MODE_CONST);
    link_to(done, second, 1, DB_MODE_NULL);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
