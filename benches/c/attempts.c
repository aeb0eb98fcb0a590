/* attempts [EDTS [MICROSECONDS [BYTES]]]: a chain of EDTs, each of which computes for so long, and writes all of a data
 * block of its own chain of blocks, if BYTES is given.
 *
 * ns_per_edt    elapsed time by EDTS
 * ns_per_copy   what memcpy takes for BYTES, into memory that is there
 *
 * attempts held GIB: data blocks of so many GiB are written. Then a chain of EDTs runs on one worker, of which one asks
 * for a checkpoint; OCR_CHECKPOINT has to be set.
 *
 * ms_held       the longest time between the begin of an EDT and that of the next one, in milliseconds
 * ms_before     the same before the checkpoint was asked for */
#include "bench.h"

#include <extensions/ocr-checkpoint.h>
#include <string.h>

#include "work.h"

enum { BLOCK = 4 << 20 };

static u64 edts, steps, bytes;
static double begin, last, longest, before;
static ocrGuid_t chain, blocks[16];

/* How many steps of work a microsecond takes. */
static double stepsPerMicrosecond(void) {
    double least = 1e18;
    for (int i = 0; i < 20; i++) {
        const double start = now();
        work(100000);
        const double took = now() - start;
        least = took < least ? took : least;
    }
    return 100000 / (least / 1000);
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    figure("ns_per_edt", (now() - begin) / (double)edts);
    double copy = 0;
    if (bytes != 0) {
        char *from = malloc(bytes), *to = malloc(bytes);
        EXPECT(from != NULL && to != NULL);
        memset(from, 1, bytes);
        memset(to, 1, bytes);
        const double start = now();
        for (int i = 0; i < 1000; i++) {
            memcpy(to, from, bytes);
            __asm__ volatile("" : : "r"(to) : "memory");
        }
        copy = (now() - start) / 1000;
        free(from);
        free(to);
    }
    figure("ns_per_copy", copy);
    ocrShutdown();
    return NULL_GUID;
}

/* An EDT of the chain: computes, writes, and creates the next one. */
static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    const u64 left = paramv[0];
    work(steps);
    if (depc != 0)
        memset(depv[0].ptr, (int)left, bytes);
    ocrGuid_t edt;
    if (left == 1) {
        MUST(ocrEdtCreate(&edt, template(end, 0, 0), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                          NULL_HINT, NULL));
        return NULL_GUID;
    }
    const u64 rest = left - 1;
    MUST(ocrEdtCreate(&edt, chain, EDT_PARAM_DEF, (u64 *)&rest, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    if (depc != 0)
        MUST(ocrAddDependence(blocks[rest % 16], edt, 0, DB_MODE_RW));
    return NULL_GUID;
}

/* An EDT of the chain beside a checkpoint. */
static ocrGuid_t beat(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const double time = now();
    longest = time - last > longest ? time - last : longest;
    last = time;
    const u64 turn = paramv[0];
    if (turn == 20000) {
        before = longest;
        longest = 0;
        MUST(ocrCheckpoint());
    }
    if (turn == 60000) {
        figure("ms_held", longest / 1e6);
        figure("ms_before", before / 1e6);
        ocrShutdown();
        return NULL_GUID;
    }
    work(steps);
    ocrGuid_t edt;
    const u64 following = turn + 1;
    MUST(ocrEdtCreate(&edt, chain, EDT_PARAM_DEF, (u64 *)&following, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    return NULL_GUID;
}

static ocrGuid_t holdBlocks(u64 gib) {
    for (u64 i = 0; i < (gib << 30) / BLOCK; i++) {
        ocrGuid_t block;
        void *ptr;
        MUST(ocrDbCreate(&block, &ptr, BLOCK, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        memset(ptr, (int)i, BLOCK);
        MUST(ocrDbRelease(block));
    }
    steps = (u64)(10 * stepsPerMicrosecond());
    const u64 first = 0;
    ocrGuid_t edt;
    chain = template(beat, 1, 0);
    last = now();
    MUST(ocrEdtCreate(&edt, chain, EDT_PARAM_DEF, (u64 *)&first, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    if (ocrGetArgc(depv[0].ptr) > 2 && strcmp(ocrGetArgv(depv[0].ptr, 1), "held") == 0)
        return holdBlocks(sizeArgument(depv, 2, 1));
    edts = sizeArgument(depv, 1, 100000);
    steps = (u64)((double)sizeArgument(depv, 2, 10) * stepsPerMicrosecond());
    if (ocrGetArgc(depv[0].ptr) > 3)
        bytes = sizeArgument(depv, 3, 65536);
    for (int i = 0; i < 16 && bytes != 0; i++) {
        void *ptr;
        MUST(ocrDbCreate(&blocks[i], &ptr, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        memset(ptr, 1, bytes);
        MUST(ocrDbRelease(blocks[i]));
    }
    chain = template(next, 1, bytes != 0);
    ocrGuid_t edt;
    begin = now();
    MUST(ocrEdtCreate(&edt, chain, EDT_PARAM_DEF, &edts, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    if (bytes != 0)
        MUST(ocrAddDependence(blocks[edts % 16], edt, 0, DB_MODE_RW));
    return NULL_GUID;
}
