/* kernel_copy.h - pieces of a block that share its memory (DB_COPY_PARTITION), worked on by kernels. */
#include "kernel.h"
#include <extensions/ocr-db-partitioning.h>

enum { PIECES = 4, WORDS = 16 << 10, ROUNDS = 6 };

static const char *adds_source = "__kernel void adds(__global uint *words) { words[get_global_id(0)] += 1; }\n";
static ocrGuid_t adds;

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* Slot 0: the block. Parameters: the round. Each word has got one more in each. */
static ocrGuid_t sees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u32 *words = depv[0].ptr;
    for (u32 i = 0; i < PIECES * WORDS; i++)
        CHECK_EQ(words[i], i + (u32)paramv[0]);
    u64 round = paramv[0], params[] = {round, (u64)depv[0].guid.guid};
    if (round == ROUNDS) {
        OK(ocrDbDestroy(depv[0].guid));
        ocrShutdown();
        return NULL_GUID;
    }
    /* On the device too, now and then, so that its copy of the block is older or newer than the host's. */
    ocrGuid_t next = spawn(begins, 2, params, 1, NULL);
    if (round % 4 != 0) {
        link_to(NULL_GUID, next, 0, DB_MODE_NULL);
        return NULL_GUID;
    }
    ocrGuid_t done, edt = kernel_edt(adds, PIECES * WORDS, 0, NULL, 1, &done);
    link_to(done, next, 0, DB_MODE_NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}

/* Slot 0: what the kernel has done; slot 1: the piece, or nothing where a kernel alone has had it. Parameters: the
 * block, the offset, the piece. It goes back by a copy, or is only destroyed. */
static ocrGuid_t goes_back(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (s64)paramv[0]}, piece = {.guid = (s64)paramv[2]}, copied = NULL_GUID;
    if (paramv[1] == 0)
        OK(ocrDbDestroy(piece));
    else
        OK(ocrDbCopy(block, paramv[1], piece, 0, WORDS * sizeof(u32), DB_COPY_PARTITION_BACK, &copied));
    return copied;
}

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 round = paramv[0] + 1 + (paramv[0] % 4 == 0);
    ocrGuid_t block = {.guid = (s64)paramv[1]}, look = spawn(sees, 1, &round, 1 + PIECES, NULL);
    for (u64 i = 0; i < PIECES; i++) {
        ocrGuid_t piece = bare_block(WORDS * sizeof(u32)), copied, done, back_done;
        u64 params[] = {(u64)block.guid, i * WORDS * sizeof(u32), (u64)piece.guid};
        OK(ocrDbCopy(piece, 0, block, params[1], WORDS * sizeof(u32), DB_COPY_PARTITION, &copied));
        ocrGuid_t edt = kernel_edt(adds, WORDS, 0, NULL, 1, &done);
        ocrGuid_t back = spawn_with(goes_back, 3, params, 1, NULL, EDT_PROP_NONE, &back_done);
        link_to(back_done, look, (u32)i + 1, DB_MODE_NULL);
        link_to(done, back, 0, DB_MODE_NULL);
        link_to(copied, edt, 0, i % 2 ? DB_MODE_EW : DB_MODE_RW);
    }
    link_to(block, look, 0, DB_MODE_RO);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 none = 0;
    ocrGuid_t block = words_block(PIECES * WORDS, 0, 1);
    adds = kernel_of(adds_source, "adds", 0, 1);
    link_to(block, spawn(sees, 1, &none, 1, NULL), 0, DB_MODE_RO);
    return NULL_GUID;
}
