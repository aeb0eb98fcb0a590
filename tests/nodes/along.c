/*
 * Small blocks go to another node with what starts an EDT there, while others write them. Chains of EDTs go from node
 * to node by chance: each reads or writes some blocks of all nodes, and creates the next one. An EDT sees of each block
 * at least what those before it in its chain have seen.
 *
 * Arguments: chains, length of a chain, seed, the words of the largest block.
 */
#include "nodes.h"

enum { BLOCKS = 6, SLOTS = 3 };

typedef struct {
    u64 chains, chance, left, words, template;
    /* A block in which the chains add up how often they have written each block, and the template for that. */
    u64 sums, adder;
    /* The blocks, and what each has been written at least. */
    u64 block[BLOCKS], seen[BLOCKS];
    /* Which blocks this EDT has, in which modes, and how often its chain has written each. */
    u64 has[SLOTS], mode[SLOTS], wrote[BLOCKS];
} step_t;

enum { PARAMS = sizeof(step_t) / sizeof(u64) };

static ocrGuid_t guid(u64 bits)
{
    return (ocrGuid_t){.guid = (intptr_t)bits};
}

static u64 draw(u64 *chance)
{
    *chance = *chance * 6364136223846793005 + 1442695040888963407;
    return *chance >> 33;
}

/* Blocks have different sizes: some do not go along. */
static u64 wordsOf(const step_t *step, u64 block)
{
    return 1 + step->words * block / (BLOCKS - 1);
}

static int writes(u64 mode)
{
    return mode == DB_MODE_RW || mode == DB_MODE_EW;
}

/* The next EDT of a chain: on any node, with any blocks, by events or without. */
static void createNext(step_t *step)
{
    static const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RO,
                                              DB_MODE_EW, DB_MODE_CONST, DB_MODE_RW};
    const u64 first = draw(&step->chance) % BLOCKS, node = draw(&step->chance), way = draw(&step->chance) % 8;
    /* Most chains stay with few blocks, so that they meet. */
    for (u64 slot = 0; slot < SLOTS; slot++) {
        step->has[slot] = (first + slot * (way < 4 ? 1 : 2)) % BLOCKS;
        step->mode[slot] = modes[draw(&step->chance) % (sizeof modes / sizeof *modes)];
    }
    ocrGuid_t edt, event[SLOTS];
    ocrHint_t hint;
    onNode(&hint, node);
    if (way == 7) {
        for (u64 slot = 0; slot < SLOTS; slot++) {
            MUST(ocrEventCreate(&event[slot], OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG));
        }
    }
    MUST(ocrEdtCreate(&edt, guid(step->template), PARAMS, (u64 *)step, SLOTS, NULL, EDT_PROP_NONE, &hint, NULL));
    for (u64 slot = 0; slot < SLOTS; slot++) {
        const ocrGuid_t source = way == 7 ? event[slot] : guid(step->block[step->has[slot]]);
        MUST(ocrAddDependence(source, edt, slot, (ocrDbAccessMode_t)step->mode[slot]));
    }
    for (u64 slot = 0; way == 7 && slot < SLOTS; slot++) {
        MUST(ocrEventSatisfy(event[slot], guid(step->block[step->has[slot]])));
    }
}

/* Parameters: how often a chain has written each block. */
static ocrGuid_t add(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    for (u64 block = 0; block < BLOCKS; block++) {
        ((u64 *)depv[0].ptr)[block] += paramv[block];
    }
    return NULL_GUID;
}

static void addUp(step_t *step)
{
    ocrGuid_t edt;
    MUST(ocrEdtCreate(&edt, guid(step->adder), BLOCKS, step->wrote, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(guid(step->sums), edt, 0, DB_MODE_EW));
}

static ocrGuid_t chain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    step_t step = *(step_t *)paramv;
    for (u64 slot = 0; slot < SLOTS; slot++) {
        const u64 block = step.has[slot], count = wordsOf(&step, block), mode = step.mode[slot];
        volatile u64 *words = depv[slot].ptr;
        const u64 is = words[0];
        ocrAssert(is >= step.seen[block]);
        for (u64 at = 1; at < count; at++) {
            /* An EDT that reads in RO mode may see what is written meanwhile. */
            ocrAssert(mode == DB_MODE_RO || mode == DB_MODE_RW ? words[at] >= step.seen[block] : words[at] == is);
        }
        if (writes(mode)) {
            for (u64 at = 0; at < count; at++) {
                __atomic_fetch_add(&words[at], 1, __ATOMIC_RELAXED);
            }
            step.wrote[block]++;
            step.seen[block] = is + 1;
        } else if (mode == DB_MODE_CONST) {
            step.seen[block] = is;
        }
    }
    if (draw(&step.chance) % 2 == 0) {
        for (u64 slot = 0; slot < SLOTS; slot++) {
            MUST(ocrDbRelease(depv[slot].guid));
        }
    }
    if (step.left-- > 0) {
        createNext(&step);
        return NULL_GUID;
    }
    addUp(&step);
    return NULL_GUID;
}

/* All chains have ended: each block has been written as often as they say. */
static ocrGuid_t compare(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const step_t *step = (step_t *)paramv;
    const u64 *sums = depv[BLOCKS].ptr;
    for (u64 block = 0; block < BLOCKS; block++) {
        const u64 *words = depv[block].ptr;
        for (u64 at = 0; at < wordsOf(step, block); at++) {
            ocrAssert(words[at] == sums[block]);
        }
        MUST(ocrDbDestroy(depv[block].guid));
    }
    printf("right: all chains have ended\n");
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t newBlock(u64 words)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, words * sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(start, 0, words * sizeof *start);
    MUST(ocrDbRelease(block));
    return block;
}

static ocrGuid_t startAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    step_t step = *(step_t *)paramv;
    const u64 seed = step.chance;
    for (u64 number = 0; number < step.chains; number++) {
        step.chance = seed * 1000003 + number;
        createNext(&step);
    }
    return NULL_GUID;
}

/* Each node makes some of the blocks; then the last one starts the chains. Parameters: a step, the next block. */
static ocrGuid_t make(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    u64 params[PARAMS + 1];
    memcpy(params, paramv, sizeof params);
    step_t *step = (step_t *)params;
    const u64 block = params[PARAMS]++;
    step->block[block] = (u64)newBlock(wordsOf(step, block)).guid;
    ocrGuid_t none = NULL_GUID, first, last, after;
    if (block + 1 < BLOCKS) {
        start(make, block + 1, PARAMS + 1, params, 1, &none);
        return NULL_GUID;
    }
    MUST(ocrEdtCreate(&last, template(compare, PARAMS, BLOCKS + 2), PARAMS, params, BLOCKS + 2, NULL, EDT_PROP_NONE,
                      NULL_HINT, NULL));
    for (u64 at = 0; at <= BLOCKS; at++) {
        MUST(ocrAddDependence(guid(at < BLOCKS ? step->block[at] : step->sums), last, at, DB_MODE_CONST));
    }
    const ocrGuid_t of = template(startAll, PARAMS, 1);
    MUST(ocrEdtCreate(&first, of, PARAMS, params, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
    MUST(ocrAddDependence(after, last, BLOCKS + 1, DB_MODE_NULL));
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrAssert(ocrGetArgc(depv[0].ptr) == 5);
    const u64 number = strtoul(ocrGetArgv(depv[0].ptr, 3), NULL, 10);
    step_t step = {.chance = number, .template = (u64)template(chain, PARAMS, SLOTS).guid};
    step.chains = strtoul(ocrGetArgv(depv[0].ptr, 1), NULL, 10);
    step.left = strtoul(ocrGetArgv(depv[0].ptr, 2), NULL, 10);
    step.words = strtoul(ocrGetArgv(depv[0].ptr, 4), NULL, 10);
    step.adder = (u64)template(add, BLOCKS, 1).guid;
    step.sums = (u64)newBlock(BLOCKS).guid;
    u64 params[PARAMS + 1] = {0};
    memcpy(params, &step, sizeof step);
    ocrGuid_t none = NULL_GUID;
    start(make, 0, PARAMS + 1, params, 1, &none);
    return NULL_GUID;
}
