/*
 * Kernels on parts of a block, aligned and not: what they write is in the whole when the parts are destroyed, by
 * an EDT that never had them on the host. Then the whole is divided otherwise, while others want it, and so on.
 */
#include "kernel.h"
#include <extensions/ocr-db-partitioning.h>

enum { COUNT = 4096, ROUNDS = 12, PARTS = 4 };

static const char *source = "__kernel void adds(__global uint *words) { words[get_global_id(0)] += 1; }\n"
                            "__kernel void adds4(__global uint4 *words) { words[get_global_id(0)] += (uint4)(1); }\n";
static ocrGuid_t adds, adds4;

/* Each word has been incremented paramv[0] times. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    checks(paramc, paramv, depc, depv);
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

/* Parameters: the round, the block, the parts of the round before. The kernels on those have ended. */
static ocrGuid_t divides(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const u64 round = paramv[0];
    ocrGuid_t block = ((ocrGuid_t *)paramv)[1], edts[PARTS], done;
    for (u32 i = 0; round != 0 && i < PARTS; i++)
        OK(ocrDbDestroy(((ocrGuid_t *)paramv)[2 + i]));
    if (round == ROUNDS) {
        link_to(block, spawn(last, 1, paramv, 1, NULL), 0, DB_MODE_RO);
        return NULL_GUID;
    }
    if (round % 2 != 0)
        link_to(block, spawn(checks, 1, paramv, 1, NULL), 0, round % 3 ? DB_MODE_CONST : DB_MODE_EW);
    ocrDbPart_t parts[PARTS];
    u64 at = 0, next[2 + PARTS] = {round + 1, (u64)block.guid};
    for (u32 i = 0; i < PARTS; i++) {
        /* A multiple of four words, from some word on. */
        parts[i].offset = at * sizeof(u32);
        u64 words = i == 0 ? 1 + round : i + 1 < PARTS ? 4 * (100 + round) : COUNT - at;
        parts[i].size = words * sizeof(u32);
        at += words;
    }
    OK(ocrDbPartition(block, PARTS, parts, OCR_DB_PARTITION_STATIC));
    for (u32 i = 0; i < PARTS; i++)
        next[2 + i] = (u64)parts[i].guid.guid;
    ocrGuid_t then = spawn(divides, 2 + PARTS, next, PARTS, NULL);
    for (u32 i = 0; i < PARTS; i++) {
        const u64 words = parts[i].size / sizeof(u32);
        edts[i] =
            words % 4 ? kernel_edt(adds, words, 0, NULL, 1, &done) : kernel_edt(adds4, words / 4, 0, NULL, 1, &done);
        link_to(done, then, i, DB_MODE_NULL);
    }
    for (u32 i = 0; i < PARTS; i++)
        link_to(parts[i].guid, edts[i], 0, i % 2 ? DB_MODE_EW : DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    adds = kernel_of(source, "adds", 0, 1);
    adds4 = kernel_of(source, "adds4", 0, 1);
    u64 params[2 + PARTS] = {0, (u64)words_block(COUNT, 0, 1).guid};
    link_to(NULL_GUID, spawn(divides, 2 + PARTS, params, 1, NULL), 0, DB_MODE_NULL);
    return NULL_GUID;
}
