/*
 * Many EDTs on all nodes wait for one event of node 0, created from each node for each node. The arguments: the kind of
 * the event, when it is satisfied, what with, and how many EDTs each node creates for each node. They see the content
 * of the block that the event is satisfied with, in any mode of reading.
 *
 * Or an event that is destroyed, or never satisfied, and EDTs of node 1 that wait for it. Or one that the first EDT
 * destroys that it has let run.
 */
#include "nodes.h"
#include <extensions/ocr-db-by-value.h>

enum { EVENT, LINKED, COUNT, WHEN, WITH, TRIGGERS, PARAMS };

/* When: after all dependences, or while they are made, or before. */
enum { LATE, MEANWHILE, EARLY };

/* With: nothing, a block, or a copy of its content. */
enum { NOTHING, BLOCK, VALUE };

static ocrGuid_t guid(u64 bits)
{
    return (ocrGuid_t){.guid = (intptr_t)bits};
}

/* Runs a function on a node, after an event or at once. */
static void runOn(u64 node, ocrEdt_t function, u64 *params, ocrGuid_t after)
{
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(NULL, template(function, PARAMS, 1), PARAMS, params, 1, &after, EDT_PROP_NONE, &hint, NULL));
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    printf("right: all have run\n");
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t waiter(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrAssert(here() == paramv[0] % nodes());
    if (paramv[1] == DB_MODE_NULL || paramv[2] == NOTHING) {
        ocrAssert(depv[0].ptr == NULL);
    } else {
        const u64 *words = depv[0].ptr;
        ocrAssert(words != NULL && words[0] == 42 && words[paramv[3] - 1] == 43);
    }
    return NULL_GUID;
}

static ocrGuid_t links(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    static const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_NULL, DB_MODE_CONST, DB_MODE_RW};
    const ocrGuid_t of = template(waiter, 4, 1);
    ocrGuid_t event = guid(paramv[EVENT]);
    for (u64 i = 0; i < paramv[COUNT] * nodes(); i++) {
        const ocrDbAccessMode_t mode = modes[i / nodes() % 4];
        u64 params[4] = {i, mode, paramv[WITH], paramv[TRIGGERS]};
        const bool inDepv = mode == DB_MODE_RW;
        ocrGuid_t edt;
        ocrHint_t hint;
        onNode(&hint, i);
        MUST(ocrEdtCreate(&edt, of, 4, params, 1, inDepv ? &event : NULL, EDT_PROP_NONE, &hint, NULL));
        if (!inDepv) {
            MUST(ocrAddDependence(event, edt, 0, mode));
        }
    }
    MUST(ocrEventSatisfySlot(guid(paramv[LINKED]), NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    return NULL_GUID;
}

/* The last parameter is how many words the block has. A channel is satisfied for each dependence. */
static ocrGuid_t triggers(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = NULL_GUID, event = guid(paramv[EVENT]);
    const u64 last = paramv[TRIGGERS] & 0xffffffff, times = paramv[TRIGGERS] >> 32;
    if (paramv[WITH] != NOTHING) {
        u64 *words;
        MUST(ocrDbCreate(&block, (void **)&words, last * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        words[0] = 42;
        words[last - 1] = 43;
        if (paramv[WITH] == BLOCK) {
            MUST(ocrDbRelease(block));
        }
    }
    for (u64 i = 0; i < times; i++) {
        if (paramv[WITH] == VALUE) {
            MUST(ocrAddDependenceByValue(block, event, 0, DB_MODE_CONST));
        } else {
            MUST(ocrEventSatisfy(event, block));
        }
    }
    return NULL_GUID;
}

/* The block that an event has been satisfied with, as a result of the EDT that waits for it. */
static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    return depv[0].guid;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    static const char *const kinds[] = {"once", "idempotent", "sticky", "latch", "counted", "channel", "output"};
    static const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T, OCR_EVENT_LATCH_T,
                                            OCR_EVENT_COUNTED_T, OCR_EVENT_CHANNEL_T, OCR_EVENT_STICKY_T};
    (void)paramc, (void)depc;
    const char *kind = ocrGetArgv(depv[0].ptr, 1);
    u32 at = 0;
    while (strcmp(kinds[at], kind) != 0) {
        at++;
        ocrAssert(at < sizeof kinds / sizeof *kinds);
    }
    const u64 of = paramv[COUNT] * nodes() * nodes(), words = paramv[TRIGGERS];
    ocrEventParams_t params = {.EVENT_LATCH = {.counter = nodes()}};
    ocrGuid_t linked, event, satisfied;
    MUST(ocrEventCreateParams(&linked, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
    if (types[at] == OCR_EVENT_COUNTED_T) {
        params.EVENT_COUNTED.nbDeps = of;
    } else if (types[at] == OCR_EVENT_CHANNEL_T) {
        params.EVENT_CHANNEL.maxGen = EVENT_CHANNEL_UNBOUNDED;
        params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
    } else {
        params.EVENT_LATCH.counter = 1;
    }
    MUST(ocrEventCreateParams(&event, types[at], EVT_PROP_TAKES_ARG, &params));
    satisfied = event;
    if (strcmp(kind, "output") == 0) {
        ocrGuid_t source = event;
        MUST(ocrEdtCreate(NULL, template(passes, 0, 1), 0, NULL, 1, &source, EDT_PROP_NONE, NULL_HINT, &event));
    }
    u64 of_links[PARAMS] = {(u64)event.guid, (u64)linked.guid, paramv[COUNT], paramv[WHEN], paramv[WITH], words};
    u64 of_triggers[PARAMS] = {(u64)satisfied.guid, 0, 0, 0, paramv[WITH],
                               (types[at] == OCR_EVENT_CHANNEL_T ? of : 1) << 32 | words};
    /* As a control dependence: the last node's EDT satisfies it. */
    runOn(nodes() - 1, triggers, of_triggers, paramv[WHEN] == LATE ? linked : NULL_GUID);
    for (u64 node = 0; node < nodes(); node++) {
        runOn(node, links, of_links, paramv[WHEN] == EARLY ? event : NULL_GUID);
    }
    return NULL_GUID;
}

/* ---- EDTs that wait for what never comes ---- */

static ocrGuid_t inVain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(waiter, 4, 1);
    ocrGuid_t event = guid(paramv[EVENT]);
    u64 params[4] = {1, DB_MODE_NULL, NOTHING, 0};
    for (u64 i = 0; i < 20; i++) {
        MUST(ocrEdtCreate(NULL, of, 4, params, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    if (paramv[WHEN]) {
        MUST(ocrEventDestroy(event));
        (void)ocrEdtCreate(NULL, of, 4, params, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

/* ---- An event that is destroyed when it has triggered, while what it leads to is under way ---- */

static bool isDestroyed;

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    if (!__atomic_exchange_n(&isDestroyed, true, __ATOMIC_SEQ_CST)) {
        MUST(ocrEventDestroy(guid(paramv[EVENT])));
    }
    return NULL_GUID;
}

static void waitToDestroy(u64 *params)
{
    const ocrGuid_t of = template(destroys, PARAMS, 1);
    ocrGuid_t event = guid(params[EVENT]);
    for (u64 i = 0; i < 150; i++) {
        MUST(ocrEdtCreate(NULL, of, PARAMS, params, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL));
    }
}

static ocrGuid_t frees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    waitToDestroy(paramv);
    MUST(ocrEventSatisfy(guid(paramv[EVENT]), NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t keeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(waiter, 4, 1);
    ocrGuid_t event = guid(paramv[EVENT]);
    u64 params[4] = {1, DB_MODE_NULL, NOTHING, 0};
    for (u64 i = 0; i < 50; i++) {
        MUST(ocrEdtCreate(NULL, of, 4, params, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    return NULL_GUID;
}

static ocrGuid_t freed(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event, done, made;
    ocrHint_t hint;
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    paramv[EVENT] = (u64)event.guid;
    waitToDestroy(paramv);
    onNode(&hint, 1);
    MUST(ocrEdtCreate(&made, template(keeps, PARAMS, 1), PARAMS, paramv, 1, NULL, EDT_PROP_NONE, &hint, &done));
    MUST(ocrEdtCreate(NULL, template(frees, PARAMS, 1), PARAMS, paramv, 1, &done, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(NULL_GUID, made, 0, DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    u64 params[PARAMS] = {0};
    const char *kind = ocrGetArgv(depv[0].ptr, 1);
    if (strcmp(kind, "never") == 0 || strcmp(kind, "destroyed") == 0) {
        ocrGuid_t event;
        MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
        params[EVENT] = (u64)event.guid;
        params[WHEN] = strcmp(kind, "destroyed") == 0;
        runOn(1, inVain, params, NULL_GUID);
        return NULL_GUID;
    }
    const bool isFreed = strcmp(kind, "freed") == 0;
    ocrAssert(ocrGetArgc(depv[0].ptr) == (isFreed ? 2 : 6));
    u64 numbers[4] = {0};
    for (u32 at = 0; !isFreed && at < 4; at++) {
        numbers[at] = strtoul(ocrGetArgv(depv[0].ptr, 2 + at), NULL, 10);
    }
    params[WHEN] = numbers[0];
    params[WITH] = numbers[1];
    params[COUNT] = numbers[2];
    params[TRIGGERS] = numbers[3];
    ocrGuid_t first, last, after;
    const ocrEdt_t root = isFreed ? freed : all;
    MUST(ocrEdtCreate(&first, template(root, PARAMS, 1), PARAMS, params, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
    MUST(ocrEdtCreate(&last, template(end, 0, 1), 0, NULL, 1, &after, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(depv[0].guid, first, 0, DB_MODE_RO));
    return NULL_GUID;
}
