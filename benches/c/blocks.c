/* blocks [BLOCKS [EDTS]]: data blocks of 64 bytes, of which each is created, written, released and destroyed before the
 * next one; by EDTS EDTs at once, each its share.
 *
 * ns_per_block    one EDT's time for a block: elapsed time by BLOCKS / EDTS
 * ns_per_malloc   the same with malloc and free, in one EDT, before */
#include "bench.h"

static u64 blocks, edts;
static double begin, nsPerMalloc;

static ocrGuid_t share(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    for (u64 i = 0; i < blocks / edts; i++) {
        ocrGuid_t block;
        void *ptr;
        MUST(ocrDbCreate(&block, &ptr, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        *(volatile u64 *)ptr = i;
        MUST(ocrDbRelease(block));
        MUST(ocrDbDestroy(block));
    }
    return NULL_GUID;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    begin = now();
    for (u64 i = 0; i < blocks; i++) {
        void *volatile ptr = malloc(64);
        EXPECT(ptr != NULL);
        *(volatile u64 *)ptr = i;
        free(ptr);
    }
    nsPerMalloc = (now() - begin) / (double)blocks;
    const ocrGuid_t shareTemplate = template(share, 0, 0);
    begin = now();
    for (u64 i = 0; i < edts; i++)
        MUST(ocrEdtCreate(NULL, shareTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          NULL));
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    figure("ns_per_block", (ended - begin) / (double)(blocks / edts));
    figure("ns_per_malloc", nsPerMalloc);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    blocks = sizeArgument(depv, 1, 1000000);
    edts = sizeArgument(depv, 2, 1);
    EXPECT(edts <= blocks);
    runScope(createAll, end);
    return NULL_GUID;
}
