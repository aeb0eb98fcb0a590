/*
 * ocrDbCopy with DB_COPY_PARTITION where the destination is the whole of a block without memory: the two share it,
 * which is seen by the addresses. What is written there is in the source when it was copied back, whichever of the two
 * is destroyed first. Where the source is used against the promise, neither sees what is written to the other from then
 * on. Everything else is a copy.
 */
// clause: ocr-db.h
// unordered: EDTs use the source of a copy against the promise of DB_COPY_PARTITION
// one-node: parts of a block are for EDTs of its node
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

enum { BACK, PLAIN, DESTROYED };

/* Slot 0: a piece. Parameters: the source, the offset, where the source is, what becomes of the piece. All words get
 * 1000 more. */
static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t whole = {.guid = (s64)paramv[0]}, copied = NULL_GUID;
    u64 *words = depv[0].ptr;
    CHECK_EQ((u64)words, paramv[2] + paramv[1]);
    for (u64 i = 0; i < WORDS; i++) {
        CHECK_EQ(words[i], paramv[1] / sizeof(u64) + i);
        words[i] += 1000;
    }
    OK(ocrDbRelease(depv[0].guid));
    switch (paramv[3]) {
    case BACK:
        OK(ocrDbCopy(whole, paramv[1], depv[0].guid, 0, PIECE, DB_COPY_PARTITION_BACK, &copied));
        break;
    case PLAIN: /* copies_back */
        break;
    case DESTROYED:
        OK(ocrDbDestroy(depv[0].guid));
    }
    return copied;
}

/* Slot 0: a piece, the others: that all pieces were worked on. A plain copy uses the source, so that no piece may be
 * expected to share it any longer. This piece stays, and has memory of its own from here on. Parameters: the source,
 * the offset. */
static ocrGuid_t copies_back(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t whole = {.guid = (s64)paramv[0]}, copied;
    OK(ocrDbCopy(whole, paramv[1], depv[0].guid, 0, PIECE, 0, &copied));
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

/* All of a block in pieces, each worked on; then the block is looked at. */
static ocrGuid_t in_pieces(ocrGuid_t block, const u64 *words, int how) {
    ocrGuid_t edts[PIECES], pieces[PIECES], copied[PIECES], worked[PIECES], done;
    u64 seen[] = {(u64)words, 1000};
    ocrGuid_t look = spawn_with(sees, 2, seen, 1 + PIECES, NULL, EDT_PROP_NONE, &done);
    for (u64 i = 0; i < PIECES; i++) {
        u64 params[] = {(u64)block.guid, i * PIECE, (u64)words, (u64)how};
        pieces[i] = bare(PIECE);
        OK(ocrDbCopy(pieces[i], 0, block, i * PIECE, PIECE, DB_COPY_PARTITION, &copied[i]));
        edts[i] = spawn_with(works, 4, params, 1, NULL, EDT_PROP_NONE, &worked[i]);
    }
    for (u64 i = 0; i < PIECES; i++) {
        ocrGuid_t last = worked[i];
        if (how == PLAIN) {
            u64 params[] = {(u64)block.guid, i * PIECE};
            ocrGuid_t back = spawn_with(copies_back, 2, params, 1 + PIECES, NULL, EDT_PROP_NONE, &last);
            for (u32 k = 0; k < PIECES; k++)
                link_to(worked[k], back, k + 1, DB_MODE_NULL);
            link_to(pieces[i], back, 0, DB_MODE_RO);
        }
        link_to(last, look, (u32)i + 1, DB_MODE_NULL);
    }
    for (u32 i = 0; i < PIECES; i++)
        link_to(copied[i], edts[i], 0, i % 2 ? DB_MODE_EW : DB_MODE_RW);
    link_to(block, look, 0, DB_MODE_EW);
    return done;
}

/* Slot 0: the source, which pieces share, against the promise. Writes it. Parameters: where it was. */
static ocrGuid_t writes_source(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *words = depv[0].ptr;
    CHECK_EQ((u64)words, paramv[0]);
    for (u64 i = 0; i < SIZE / sizeof(u64); i++) {
        CHECK_EQ(words[i], i);
        words[i] = 7;
    }
    return NULL_GUID;
}

/* Slot 1: a piece of it, which has nothing of that. Parameters: where the source is, the offset. */
static ocrGuid_t sees_none(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *words = depv[1].ptr;
    CHECK((u64)words < paramv[0] || (u64)words >= paramv[0] + SIZE);
    for (u64 i = 0; i < WORDS; i++) {
        CHECK_EQ(words[i], paramv[1] / sizeof(u64) + i);
        words[i] = 8;
    }
    OK(ocrDbDestroy(depv[1].guid));
    return NULL_GUID;
}

static ocrGuid_t sees_own(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u64 *words = depv[PIECES].ptr;
    for (u64 i = 0; i < SIZE / sizeof(u64); i++)
        CHECK_EQ(words[i], 7);
    OK(ocrDbDestroy(depv[PIECES].guid));
    return NULL_GUID;
}

/* The source is written while pieces share it; two pieces overlap, of which one is a copy from the beginning. */
static ocrGuid_t against_the_promise(void) {
    u64 *words;
    ocrGuid_t block = source(SIZE, &words), copied, written, done;
    u64 params[] = {(u64)words, 0};
    ocrGuid_t write = spawn_with(writes_source, 1, params, 1 + PIECES, NULL, EDT_PROP_NONE, &written);
    ocrGuid_t last = spawn_with(sees_own, 0, NULL, PIECES + 1, NULL, EDT_PROP_NONE, &done), see, seen;
    for (u64 i = 0; i < PIECES; i++) {
        ocrGuid_t piece = bare(PIECE);
        params[1] = i == 3 ? PIECE / 2 : i * PIECE;
        OK(ocrDbCopy(piece, 0, block, params[1], PIECE, DB_COPY_PARTITION, &copied));
        link_to(copied, write, (u32)i + 1, DB_MODE_NULL);
        see = spawn_with(sees_none, 2, params, 2, NULL, EDT_PROP_NONE, &seen);
        link_to(seen, last, (u32)i, DB_MODE_NULL);
        link_to(written, see, 0, DB_MODE_NULL);
        link_to(piece, see, 1, DB_MODE_EW);
    }
    link_to(block, last, PIECES, DB_MODE_CONST);
    link_to(block, write, 0, DB_MODE_RW);
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
        link_to(in_pieces(block, words, how[i]), last, i, DB_MODE_NULL);
        link_to(against_the_promise(), last, 3 + i, DB_MODE_NULL);
    }

    /* The source goes first, as soon as the piece is there. */
    block = source(SIZE, &words), piece = bare(PIECE);
    /* What is wrong does nothing. */
    REFUSED(OCR_ENOMEM, ocrDbCopy(piece, 0, block, SIZE - PIECE + 1, PIECE, DB_COPY_PARTITION, &copied));
    u64 params[] = {(u64)words, (u64)block.guid};
    OK(ocrDbCopy(piece, 0, block, PIECE, PIECE, DB_COPY_PARTITION, &copied));
    /* Between the two, the same bytes are there already. From a part, no others could be copied. */
    OK(ocrDbCopy(piece, 0, block, PIECE, PIECE, 0, NULL));
    OK(ocrDbCopy(piece, 0, block, PIECE, PIECE, DB_COPY_PARTITION, NULL));
    ocrDbPart_t part = {.offset = 0, .size = 256};
    OK(ocrDbPartition(block, 1, &part, 0));
    REFUSED(OCR_EPERM, ocrDbCopy(part.guid, 0, block, 256, 256, 0, NULL));
    REFUSED(OCR_EPERM, ocrDbCopy(block, 256, part.guid, 0, 256, DB_COPY_PARTITION_BACK, NULL));
    REFUSED(OCR_EPERM, ocrDbCopy(block, 0, part.guid, 0, 255, 0, NULL));
    OK(ocrDbCopy(block, 0, part.guid, 0, 256, 0, NULL));
    OK(ocrDbCopy(block, 0, part.guid, 0, 256, DB_COPY_PARTITION_BACK, NULL));
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
