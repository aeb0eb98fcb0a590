/*
 * A part in mode RO: an EDT gets it when the caller of ocrDbPartition has released the block, and finds what the
 * caller has written after that call; no other has the whole meanwhile.
 */
// clause: ocr-db-partitioning.h
// one-node: parts of a block are for EDTs of its node
#include "check.h"
#include <extensions/ocr-db-partitioning.h>

enum { ROUNDS = 300, WORDS = 64 };

/* The part that uses the memory of the block, and the one that does not. */
static const u64 offsets[] = {0, 36 * sizeof(u64) + 4};

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 word;
    memcpy(&word, depv[0].ptr, sizeof word);
    CHECK_EQ(word, paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u32 i = 0; i < 2; i++)
        OK(ocrDbDestroy((ocrGuid_t){.guid = (intptr_t)paramv[i]}));
    return NULL_GUID;
}

static ocrGuid_t divides(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *words = depv[0].ptr;
    ocrDbPart_t parts[2];
    for (u32 i = 0; i < 2; i++)
        parts[i] = (ocrDbPart_t){.offset = offsets[i], .size = 16, .guid = NULL_GUID};
    OK(ocrDbPartition(depv[0].guid, 2, parts, 0));
    u64 guids[] = {(u64)parts[0].guid.guid, (u64)parts[1].guid.guid};
    ocrGuid_t last = spawn_with(ends, 2, guids, 2, NULL, EDT_PROP_NONE, NULL);
    for (u32 i = 0; i < 2; i++) {
        ocrGuid_t done, reader = spawn_with(reads, 1, paramv, 2, NULL, EDT_PROP_NONE, &done);
        link_to(done, last, i, DB_MODE_NULL);
        link_to(parts[i].guid, reader, 0, DB_MODE_RO);
        link_to(NULL_GUID, reader, 1, DB_MODE_NULL);
    }
    breathe();
    for (u32 i = 0; i < 2 * WORDS; i++)
        words[i] = (u32)paramv[0];
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = end_after(ROUNDS);
    for (u64 i = 0; i < ROUNDS; i++) {
        u64 *words, number = i + 1;
        ocrGuid_t block, done;
        OK(ocrDbCreate(&block, (void **)&words, WORDS * sizeof *words, 0, NULL_HINT, NO_ALLOC));
        memset(words, 0, WORDS * sizeof *words);
        OK(ocrDbRelease(block));
        ocrGuid_t edt = spawn_with(divides, 1, &number, 2, NULL, EDT_PROP_FINISH, &done);
        link_to(done, end, (u32)i, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_EW);
        link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    }
    return NULL_GUID;
}
