/*
 * ocrDbCopy with DB_COPY_PARTITION where the destination is the whole of a block without memory: the two share it, which
 * is seen by the addresses. What is written there is in the source when the destination has gone, copied back or not,
 * whichever of the two is destroyed first. Everything else is a copy.
 */
#include "check.h"
#include <extensions/ocr-db-partitioning.h>

enum { PIECES = 4, PIECE = 64 << 10, SIZE = PIECES * PIECE, WORDS = PIECE / sizeof(u64), TESTS = 6 };

static ocrGuid_t bare(u64 size) {
    ocrGuid_t guid;
    void *addr;
    OK(ocrDbCreate(&guid, &addr, size, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    return guid;
}

/* Words that count from 0; where they are. */
static ocrGuid_t source(u64 size, u64 **words) {
    ocrGuid_t guid = block_of(size, (void **)words);
    for (u64 i = 0; i < size / sizeof(u64); i++)
        (*words)[i] = i;
    OK(ocrDbRelease(guid));
    return guid;
}

enum { BACK, PLAIN, DESTROYED, KEPT };

/* Slot 0: a piece. Parameters: the source, the offset, where the source is, whether the piece is to share it, what
 * becomes of it. All words get 1000 more. */
static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t whole = {.guid = (s64)paramv[0]}, copied = NULL_GUID;
    u64 *words = depv[0].ptr;
    CHECK_EQ((u64)words == paramv[2] + paramv[1], paramv[3]);
    for (u64 i = 0; i < WORDS; i++) {
        CHECK_EQ(words[i], paramv[1] / sizeof(u64) + i);
        words[i] += 1000;
    }
    OK(ocrDbRelease(depv[0].guid));
    switch (paramv[4]) {
    case BACK:
        OK(ocrDbCopy(whole, paramv[1], depv[0].guid, 0, PIECE, DB_COPY_PARTITION_BACK, &copied));
        break;
    case PLAIN:
        OK(ocrDbCopy(whole, paramv[1], depv[0].guid, 0, PIECE, 0, NULL));
        OK(ocrDbDestroy(depv[0].guid));
        break;
    case DESTROYED:
        OK(ocrDbDestroy(depv[0].guid));
    }
    return copied;
}

/* Slot 0: the source. Parameters: where it was, by how much more its words have become. */
static ocrGuid_t sees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *words = depv[0].ptr;
    CHECK_EQ((u64)words, paramv[0]);
    for (u64 i = 0; i < SIZE / sizeof(u64); i++)
        CHECK_EQ(words[i], i + paramv[1]);
    words[0] = 5;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* All of a block in pieces, each worked on, `times` times; then the block is looked at. */
static ocrGuid_t in_pieces(ocrGuid_t block, const u64 *words, int how, bool early) {
    ocrGuid_t copied, edt, piece, done;
    u64 seen[] = {(u64)words, 1000};
    ocrGuid_t look = spawn_with(sees, 2, seen, 1 + PIECES, NULL, EDT_PROP_NONE, &done);
    for (u64 i = 0; i < PIECES; i++) {
        u64 params[] = {(u64)block.guid, i * PIECE, (u64)words, true, (u64)how};
        ocrGuid_t worked;
        piece = bare(PIECE);
        OK(ocrDbCopy(piece, 0, block, i * PIECE, PIECE, DB_COPY_PARTITION, &copied));
        edt = spawn_with(works, 5, params, 1, NULL, EDT_PROP_NONE, &worked);
        /* If it is early, the block is asked for at once, against the promise: that waits for the pieces to go. */
        link_to(early ? NULL_GUID : worked, look, (u32)i + 1, DB_MODE_NULL);
        link_to(copied, edt, 0, i % 2 ? DB_MODE_EW : DB_MODE_RW);
    }
    link_to(block, look, 0, DB_MODE_EW);
    return done;
}

/* Slot 0: a piece, whose source is gone. */
static ocrGuid_t outlives(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *words = depv[0].ptr;
    CHECK_EQ((u64)words, paramv[0] + PIECE);
    for (u64 i = 0; i < WORDS; i++)
        words[i] += i;
    for (u64 i = 0; i < WORDS; i++)
        CHECK_EQ(words[i], WORDS + 2 * i);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t destroys_source(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    OK(ocrDbDestroy((ocrGuid_t){.guid = (s64)paramv[1]}));
    return depv[0].guid;
}

/* Slots 0 and 1: a copy and its source, which have nothing to do with each other. Parameters: the offset, the size. */
static ocrGuid_t apart(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    char *copy = depv[0].ptr, *from = (char *)depv[1].ptr + paramv[0];
    CHECK(copy != from);
    CHECK_EQ(memcmp(copy, from, paramv[1]), 0);
    copy[0] ^= 1;
    from[paramv[1] - 1] ^= 1;
    CHECK_EQ(copy[0] ^ from[0], paramv[1] == 1 ? 0 : 1);
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrDbDestroy(depv[1].guid));
    return NULL_GUID;
}

static void copies(u64 offset, u64 size, ocrGuid_t to, u64 destination_offset, ocrGuid_t latch) {
    u64 *words, params[] = {offset, size};
    ocrGuid_t from = source(SIZE, &words), copied, done;
    OK(ocrDbCopy(to, destination_offset, from, offset, size, DB_COPY_PARTITION, &copied));
    ocrGuid_t edt = spawn_with(apart, 2, params, 3, NULL, EDT_PROP_NONE, &done);
    OK(ocrAddDependence(done, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL));
    link_to(copied, edt, 2, DB_MODE_NULL);
    link_to(to, edt, 0, DB_MODE_RW);
    link_to(from, edt, 1, DB_MODE_RW);
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 *words;
    ocrGuid_t last = spawn(end, 0, NULL, TESTS + 1, NULL), block, piece, copied, done;
    static const int how[] = {BACK, PLAIN, DESTROYED};
    for (u32 i = 0; i < 3; i++) {
        block = source(SIZE, &words);
        link_to(in_pieces(block, words, how[i], false), last, i, DB_MODE_NULL);
        block = source(SIZE, &words);
        link_to(in_pieces(block, words, how[i], true), last, 3 + i, DB_MODE_NULL);
    }

    /* The source goes first, as soon as the piece is there. */
    block = source(SIZE, &words), piece = bare(PIECE);
    /* What is wrong does nothing. */
    REFUSED(OCR_ENOMEM, ocrDbCopy(piece, 0, block, SIZE - PIECE + 1, PIECE, DB_COPY_PARTITION, &copied));
    u64 params[] = {(u64)words, (u64)block.guid};
    OK(ocrDbCopy(piece, 0, block, PIECE, PIECE, DB_COPY_PARTITION, &copied));
    /* Between the two, the same bytes are there already; others nobody could copy. */
    OK(ocrDbCopy(piece, 0, block, PIECE, PIECE, 0, NULL));
    OK(ocrDbCopy(piece, 0, block, PIECE, PIECE, DB_COPY_PARTITION, NULL));
    REFUSED(OCR_EPERM, ocrDbCopy(piece, 0, block, 0, PIECE, 0, NULL));
    REFUSED(OCR_EPERM, ocrDbCopy(block, 0, piece, 0, PIECE, DB_COPY_PARTITION_BACK, NULL));
    REFUSED(OCR_EPERM, ocrDbCopy(block, PIECE, piece, 0, PIECE - 1, 0, NULL));
    ocrGuid_t goes = spawn_with(destroys_source, 2, params, 1, NULL, EDT_PROP_NONE, &done);
    ocrGuid_t stays = spawn(outlives, 1, params, 1, NULL);
    link_to(done, stays, 0, DB_MODE_EW);
    link_to(copied, goes, 0, DB_MODE_RO);

    /* Copies: memory that is there, a part of the destination, an offset that no block begins at, no bytes. */
    ocrGuid_t latch;
    ocrEventParams_t three = {.EVENT_LATCH = {.counter = 3}};
    OK(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &three));
    link_to(latch, last, TESTS, DB_MODE_NULL);
    void *addr;
    ocrGuid_t with_memory = block_of(PIECE, &addr);
    OK(ocrDbRelease(with_memory));
    copies(PIECE, PIECE, with_memory, 0, latch);
    copies(PIECE, PIECE, bare(2 * PIECE), 0, latch);
    copies(PIECE + 8, PIECE, bare(PIECE), 0, latch);
    piece = bare(0), block = source(8, &words);
    OK(ocrDbCopy(piece, 0, block, 8, 0, DB_COPY_PARTITION, NULL));
    return NULL_GUID;
}
