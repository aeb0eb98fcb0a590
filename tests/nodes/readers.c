/*
 * EDTs of all nodes read a block and write it. Its first argument says what it does, the second how often, the third
 * how large the block is, in words. All words of it are equal, and count those that have written it.
 */
#include "nodes.h"

static u64 look(const u64 *words, u64 count)
{
    const u64 first = words[0];
    for (u64 at = 1; at < count; at++) {
        ocrAssert(words[at] == first);
    }
    return first;
}

/* Parameters: the number of words, what they are at least. */
static ocrGuid_t readBlock(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrAssert(look(depv[0].ptr, paramv[0]) >= paramv[1]);
    return NULL_GUID;
}

static ocrGuid_t writeBlock(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    u64 *words = depv[0].ptr;
    ocrAssert(look(words, paramv[0]) >= paramv[1]);
    for (u64 at = 0; at < paramv[0]; at++) {
        words[at] += 1;
    }
    return NULL_GUID;
}

static void edtOn(ocrEdt_t function, u64 node, u64 *params, ocrGuid_t block, ocrDbAccessMode_t mode)
{
    ocrGuid_t edt, of = template(function, 2, 1);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(block, edt, 0, mode));
    MUST(ocrEdtTemplateDestroy(of));
}

/* Parameters: words, rounds that are left, rounds, the block. EDTs of all nodes read it, and then one writes it. */
static ocrGuid_t goRound(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t readAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (intptr_t)paramv[3]};
    u64 params[2] = {paramv[0], paramv[2] - paramv[1]};
    for (u64 node = 0; node < 2 * nodes(); node++) {
        edtOn(readBlock, node, params, block, node % 2 == 0 ? DB_MODE_CONST : DB_MODE_RO);
    }
    return NULL_GUID;
}

static ocrGuid_t writeOne(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (intptr_t)paramv[3]};
    u64 params[2] = {paramv[0], paramv[2] - paramv[1]};
    edtOn(writeBlock, paramv[1], params, block, paramv[1] % 3 == 0 ? DB_MODE_RW : DB_MODE_EW);
    return NULL_GUID;
}

static ocrGuid_t scope(ocrEdt_t function, u64 *paramv, ocrGuid_t before)
{
    ocrGuid_t of = template(function, 4, 1), edt, after, lasting;
    MUST(ocrEventCreate(&lasting, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
    MUST(ocrAddDependence(after, lasting, 0, DB_MODE_NULL));
    MUST(ocrAddDependence(before, edt, 0, DB_MODE_NULL));
    MUST(ocrEdtTemplateDestroy(of));
    return lasting;
}

static ocrGuid_t goRound(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (intptr_t)paramv[3]};
    if (paramv[1] == 0) {
        compareAfter(NULL_GUID, block, paramv[2], 1);
        return NULL_GUID;
    }
    ocrGuid_t read = scope(readAll, paramv, NULL_GUID), written = scope(writeOne, paramv, read), next;
    u64 params[4] = {paramv[0], paramv[1] - 1, paramv[2], paramv[3]};
    ocrGuid_t of = template(goRound, 4, 1);
    ocrHint_t hint;
    onNode(&hint, paramv[1]);
    MUST(ocrEdtCreate(&next, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, &written, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrEdtTemplateDestroy(of));
    return NULL_GUID;
}

/* Parameters: words, EDTs, the block. Readers and writers of all nodes in no order. */
static ocrGuid_t mix(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (intptr_t)paramv[2]};
    u64 params[2] = {paramv[0], 0};
    const ocrDbAccessMode_t writes[2] = {DB_MODE_RW, DB_MODE_EW};
    for (u64 at = 0; at < paramv[1]; at++) {
        const u64 node = at * 7 / 3;
        edtOn(writeBlock, node, params, block, writes[at % 2]);
        for (u64 reader = 0; reader < at % 5; reader++) {
            edtOn(readBlock, node + reader, params, block, DB_MODE_CONST);
        }
    }
    return NULL_GUID;
}

/* Parameters: words, steps that are left, the node. A chain of EDTs that read the block, on all nodes in turn. */
static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrAssert(look(depv[0].ptr, paramv[0]) == 0);
    if (paramv[1] == 0) {
        compareAfter(NULL_GUID, depv[0].guid, 0, 0);
        return NULL_GUID;
    }
    ocrGuid_t next, of = template(step, 3, 1);
    ocrHint_t hint;
    u64 params[3] = {paramv[0], paramv[1] - 1, paramv[2] + 1};
    onNode(&hint, params[2]);
    MUST(ocrEdtCreate(&next, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(depv[0].guid, next, 0, DB_MODE_RO));
    MUST(ocrEdtTemplateDestroy(of));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const char *what = getArgv(depv[0].ptr, 1);
    const u64 times = (u64)atoll(getArgv(depv[0].ptr, 2)), count = (u64)atoll(getArgv(depv[0].ptr, 3));
    u64 *words;
    ocrGuid_t block;
    MUST(ocrDbCreate(&block, (void **)&words, count * sizeof *words, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(words, 0, count * sizeof *words);
    MUST(ocrDbRelease(block));
    if (strcmp(what, "rounds") == 0) {
        start(goRound, 1, 4, (u64[]){count, times, times, (u64)block.guid}, 0, NULL);
    } else if (strcmp(what, "mix") == 0) {
        ocrGuid_t of = template(mix, 3, 1), edt, after;
        u64 params[3] = {count, times, (u64)block.guid};
        MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
        compareAfter(after, block, times, 1);
        MUST(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL));
    } else if (strcmp(what, "steps") == 0) {
        start(step, 1, 3, (u64[]){count, times, 1}, 1, &block);
    }
    return NULL_GUID;
}
