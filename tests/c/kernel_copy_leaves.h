/*
 * kernel_copy_leaves.h - pieces share the memory of a block (DB_COPY_PARTITION), and kernels have worked on them,
 * when the block is used against the promise, by a function and by a kernel: pieces and block go on apart.
 */
#include "kernel.h"
#include <extensions/ocr-db-partitioning.h>

enum { PIECES = 6, WORDS = 8 << 10 };

static const char *adds_source = "__kernel void adds(__global uint *words) { words[get_global_id(0)] += 1; }\n";
static ocrGuid_t adds;

/* Slot 1: the block. Its words may have been written in a piece before, once or twice. */
static ocrGuid_t clears(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 *words = depv[1].ptr;
    for (u32 i = 0; i < PIECES * WORDS; i++) {
        CHECK(words[i] - i <= 2);
        words[i] = 100;
    }
    return NULL_GUID;
}

/* Slots: the pieces, the block. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 p = 0; p < PIECES; p++)
        for (u32 i = 0; i < WORDS; i++)
            CHECK_EQ(((u32 *)depv[p].ptr)[i], p * WORDS + i + 2);
    for (u32 i = 0; i < PIECES * WORDS; i++)
        CHECK_EQ(((u32 *)depv[PIECES].ptr)[i], 101);
    for (u32 i = 0; i < depc; i++)
        OK(ocrDbDestroy(depv[i].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(PIECES * WORDS, 0, 1), pieces[PIECES], done[PIECES], twice[PIECES], copied, all,
              cleared;
    adds = kernel_of(adds_source, "adds", 0, EDT_PARAM_UNK);
    ocrGuid_t look = spawn(looks, 0, NULL, 2 * PIECES + 2, NULL), more[PIECES], once[PIECES];
    ocrGuid_t clear = spawn_with(clears, 0, NULL, 2, NULL, EDT_PROP_NONE, &cleared);
    ocrGuid_t whole = kernel_edt(adds, PIECES * WORDS, 0, NULL, 2, &all);
    for (u32 i = 0; i < PIECES; i++) {
        pieces[i] = bare_block(WORDS * sizeof(u32));
        OK(ocrDbCopy(pieces[i], 0, block, i * WORDS * sizeof(u32), WORDS * sizeof(u32), DB_COPY_PARTITION, &copied));
        once[i] = kernel_edt(adds, WORDS, 0, NULL, 1, &done[i]);
        more[i] = kernel_edt(adds, WORDS, 0, NULL, 2, &twice[i]);
        link_to(twice[i], look, PIECES + 1 + i, DB_MODE_NULL);
        link_to(done[i], more[i], 1, DB_MODE_NULL);
        link_to(pieces[i], more[i], 0, DB_MODE_EW);
        if (i == 0)
            link_to(done[i], clear, 0, DB_MODE_NULL);
        link_to(copied, once[i], 0, DB_MODE_RW);
    }
    link_to(all, look, 2 * PIECES + 1, DB_MODE_NULL);
    link_to(cleared, whole, 1, DB_MODE_NULL);
    link_to(block, whole, 0, DB_MODE_RW);
    link_to(block, clear, 1, DB_MODE_EW);
    for (u32 i = 0; i < PIECES; i++)
        link_to(pieces[i], look, i, DB_MODE_RO);
    link_to(block, look, PIECES, DB_MODE_RO);
    return NULL_GUID;
}
