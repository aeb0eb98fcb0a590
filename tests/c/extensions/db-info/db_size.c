/*
 * The size of a data block is what its creation asked for, to the byte, for who holds the block and who only knows it;
 * of a block that is gone, and of what is no block, there is none.
 */
// clause: ocr-db-info.h
#include "check.h"
#include <extensions/ocr-db-info.h>

enum { SIZES = 6 };

static const u64 sizes[SIZES] = {0, 1, 7, 64, 4097, 3000001};

static void has_size(ocrGuid_t block, u64 want) {
    u64 size = 12345;
    OK(ocrDbGetSize(block, &size));
    CHECK_EQ(size, want);
}

static void refused(ocrGuid_t guid) {
    u64 size = 12345;
    REFUSED(OCR_EINVAL, ocrDbGetSize(guid, &size));
    CHECK_EQ(size, 12345);
}

/* paramv: the blocks that it knows; it holds none of them. */
static ocrGuid_t knows(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    for (u32 i = 0; i < paramc; i++) {
        ocrGuid_t block = ((ocrGuid_t *)paramv)[i];
        has_size(block, sizes[i]);
        OK(ocrDbDestroy(block));
        refused(block);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t blocks[SIZES];
    for (u32 i = 0; i < SIZES; i++) {
        void *addr;
        blocks[i] = block_of(sizes[i], &addr);
        has_size(blocks[i], sizes[i]);
        OK(ocrDbRelease(blocks[i]));
    }
    REFUSED(OCR_EINVAL, ocrDbGetSize(blocks[0], NULL));
    refused(NULL_GUID);
    refused(event_of(OCR_EVENT_STICKY_T));
    spawn(knows, SIZES, (u64 *)blocks, 0, NULL);
    return NULL_GUID;
}
