/*
 * How many messages nodes send each other for what programs do most. The first argument says what is done, the second
 * how often. What twice as many times take in addition is what so many times take.
 */
#include "nodes.h"
#include <extensions/ocr-legacy.h>

static u64 times;

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    printf("done on node %lu\n", (unsigned long)here());
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* Runs a function with parameters as a finish EDT on a node, with a block, and ends the program after all that. */
static void runAs(ocrEdt_t function, u64 node, u32 paramc, u64 *paramv, ocrGuid_t block)
{
    ocrGuid_t first, last, after;
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&first, template(function, paramc, 1), paramc, paramv, 1, NULL, EDT_PROP_FINISH, &hint, &after));
    MUST(ocrEdtCreate(&last, template(end, 0, 1), 0, NULL, 1, &after, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(block, first, 0, DB_MODE_RW));
}

static ocrGuid_t eventOf(ocrEventTypes_t type)
{
    ocrGuid_t event;
    MUST(ocrEventCreate(&event, type, EVT_PROP_TAKES_ARG));
    return event;
}

/* A block of 8 bytes for each time, and one more: what an EDT tells another about. */
static ocrGuid_t list(u64 **entries)
{
    ocrGuid_t block;
    MUST(ocrDbCreate(&block, (void **)entries, (times + 1) * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    return block;
}

static ocrGuid_t guid(u64 bits)
{
    return (ocrGuid_t){.guid = (intptr_t)bits};
}

/* Runs a function as a finish EDT of node 0, with the number of times, an event of node 1, and another number. */
static ocrGuid_t withEvent(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const u64 event = (u64)eventOf(OCR_EVENT_STICKY_T).guid;
    ocrAssert(here() == 1);
    u64 params[3] = {paramv[0], event, paramv[2]};
    ocrGuid_t first;
    ocrHint_t hint;
    onNode(&hint, 0);
    MUST(ocrEdtCreate(&first, guid(paramv[1]), 3, params, 1, NULL, EDT_PROP_FINISH, &hint, NULL));
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
    return NULL_GUID;
}

static void runWithEvent(ocrEdt_t function, u64 number)
{
    u64 params[3] = {times, (u64)template(function, 3, 1).guid, number};
    runAs(withEvent, 1, 3, params, NULL_GUID);
}

/* ---- children: EDTs of one finish scope on another node, which all end after all are created. ---- */

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(empty, 0, 1);
    ocrGuid_t event = guid(paramv[1]);
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 i = 0; i < paramv[0]; i++) {
        MUST(ocrEdtCreate(NULL, of, 0, NULL, 1, &event, EDT_PROP_NONE, &hint, NULL));
    }
    MUST(ocrEventSatisfy(event, NULL_GUID));
    return NULL_GUID;
}

/* ---- linked: EDTs of another node, whose creator adds dependences on an event of that node and on nothing. ---- */

static ocrGuid_t links(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(empty, 0, 2), event = guid(paramv[1]);
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 i = 0; i < paramv[0]; i++) {
        ocrGuid_t edt;
        MUST(ocrEdtCreate(&edt, of, 0, NULL, 2, NULL, EDT_PROP_NONE, &hint, NULL));
        MUST(ocrAddDependence(event, edt, 1, DB_MODE_NULL));
        MUST(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL));
    }
    MUST(ocrEventSatisfy(event, NULL_GUID));
    return NULL_GUID;
}

/* ---- hop: an EDT creates the next one on the other node. read, write: with a block of the first node. ---- */

enum { LEFT, TEMPLATE, MODE, HOP_PARAMS };

static ocrGuid_t hop(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    if (paramv[MODE] == DB_MODE_RW) {
        *(u64 *)depv[0].ptr += 1;
    }
    if (paramv[LEFT] == 0) {
        return end(0, NULL, 0, NULL);
    }
    u64 params[HOP_PARAMS] = {paramv[LEFT] - 1, paramv[TEMPLATE], paramv[MODE]};
    ocrGuid_t next, block = depv[0].guid;
    ocrHint_t hint;
    onNode(&hint, here() + 1);
    if (paramv[MODE] == DB_MODE_RO) {
        MUST(ocrEdtCreate(&next, guid(paramv[TEMPLATE]), HOP_PARAMS, params, 1, NULL, EDT_PROP_NONE, &hint, NULL));
        MUST(ocrAddDependence(block, next, 0, DB_MODE_RO));
    } else {
        MUST(ocrEdtCreate(NULL, guid(paramv[TEMPLATE]), HOP_PARAMS, params, 1, &block, EDT_PROP_NONE, &hint, NULL));
    }
    return NULL_GUID;
}

static void hops(ocrDbAccessMode_t mode)
{
    ocrGuid_t first, of = template(hop, HOP_PARAMS, 1);
    u64 params[HOP_PARAMS] = {times, (u64)of.guid, mode};
    MUST(ocrEdtCreate(&first, of, HOP_PARAMS, params, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(mode == DB_MODE_NULL ? NULL_GUID : zero(), first, 0, mode));
}

/* ---- blocks: EDTs on another node, each with a block of its own to read, or to write. ---- */

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrAssert(*(const u64 *)depv[0].ptr == 0);
    return NULL_GUID;
}

static ocrGuid_t blocks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(uses, 0, 2);
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 i = 0; i < paramv[0]; i++) {
        ocrGuid_t edt, block = zero(), sources[2] = {UNINITIALIZED_GUID, guid(paramv[1])};
        sources[0] = paramv[2] == DB_MODE_RW ? block : UNINITIALIZED_GUID;
        MUST(ocrEdtCreate(&edt, of, 0, NULL, 2, sources, EDT_PROP_NONE, &hint, NULL));
        if (paramv[2] != DB_MODE_RW) {
            MUST(ocrAddDependence(block, edt, 0, (ocrDbAccessMode_t)paramv[2]));
        }
    }
    MUST(ocrEventSatisfy(guid(paramv[1]), NULL_GUID));
    return NULL_GUID;
}

/* ---- new: an EDT creates the next one on the other node, which reads new blocks of so many bytes. ---- */

enum { NEW_LEFT, NEW_TEMPLATE, NEW_BYTES, NEW_PARAMS };

static ocrGuid_t filled(u64 bytes)
{
    ocrGuid_t block;
    void *start;
    MUST(ocrDbCreate(&block, &start, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(start, (int)bytes, bytes);
    MUST(ocrDbRelease(block));
    return block;
}

static ocrGuid_t withNew(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc;
    for (u32 slot = 0; slot < depc; slot++) {
        const u8 *bytes = depv[slot].ptr, is = (u8)paramv[NEW_BYTES];
        ocrAssert(bytes[0] == is && bytes[paramv[NEW_BYTES] - 1] == is);
    }
    if (paramv[NEW_LEFT]-- == 0) {
        return end(0, NULL, 0, NULL);
    }
    ocrGuid_t next, blocks[8];
    ocrHint_t hint;
    onNode(&hint, here() + 1);
    for (u32 slot = 0; slot < depc; slot++) {
        blocks[slot] = filled(paramv[NEW_BYTES]);
    }
    MUST(ocrEdtCreate(&next, guid(paramv[NEW_TEMPLATE]), NEW_PARAMS, paramv, depc, NULL, EDT_PROP_NONE, &hint, NULL));
    for (u32 slot = 0; slot < depc; slot++) {
        MUST(ocrAddDependence(blocks[slot], next, slot, slot % 2 == 0 ? DB_MODE_RO : DB_MODE_CONST));
    }
    return NULL_GUID;
}

static void startWithNew(u64 bytes, u64 blocks)
{
    ocrGuid_t first, of = template(withNew, NEW_PARAMS, (u32)blocks);
    u64 params[NEW_PARAMS] = {times, (u64)of.guid, bytes};
    MUST(ocrEdtCreate(&first, of, NEW_PARAMS, params, (u32)blocks, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    for (u32 slot = 0; slot < blocks; slot++) {
        MUST(ocrAddDependence(filled(bytes), first, slot, DB_MODE_RO));
    }
}

/* ---- pass: EDTs on another node read blocks of this one, with which events of this one are satisfied. ---- */

static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(uses, 0, 2);
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 i = 0; i < paramv[0]; i++) {
        ocrGuid_t edt, event = eventOf(OCR_EVENT_ONCE_T), sources[2] = {UNINITIALIZED_GUID, guid(paramv[1])};
        MUST(ocrEdtCreate(&edt, of, 0, NULL, 2, sources, EDT_PROP_NONE, &hint, NULL));
        MUST(ocrAddDependence(event, edt, 0, (ocrDbAccessMode_t)paramv[2]));
        MUST(ocrEventSatisfy(event, zero()));
    }
    MUST(ocrEventSatisfy(guid(paramv[1]), NULL_GUID));
    return NULL_GUID;
}

/* ---- ahead: an EDT of node 1 gets no more than the first of its blocks late, and has asked for the others. ---- */

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAssert(false);
    return NULL_GUID;
}

enum { AHEAD = 60 };

/* Parameters: a block that is never free, others, an event. */
static ocrGuid_t needsAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t edt;
    MUST(ocrEdtCreate(&edt, template(never, 0, AHEAD), 0, NULL, AHEAD, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    for (u32 slot = 0; slot < AHEAD; slot++) {
        MUST(ocrAddDependence(guid(paramv[slot]), edt, slot, slot % 2 == 0 ? DB_MODE_RO : DB_MODE_CONST));
    }
    /* What this node has asked for comes before this. */
    MUST(ocrEventSatisfy(guid(paramv[AHEAD]), NULL_GUID));
    return NULL_GUID;
}

static void ahead(void)
{
    u64 params[AHEAD + 1], *first;
    ocrGuid_t kept, none = NULL_GUID, asked = eventOf(OCR_EVENT_STICKY_T);
    MUST(ocrDbCreate(&kept, (void **)&first, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    params[0] = (u64)kept.guid;
    for (u32 at = 1; at < AHEAD; at++) {
        params[at] = (u64)filled(1000).guid;
        /* EDTs acquire blocks in this order. */
        ocrAssert(params[at] > params[0]);
    }
    params[AHEAD] = (u64)asked.guid;
    start(needsAll, 1, AHEAD + 1, params, 1, &none);
    /* This EDT keeps the first block up to its end. */
    MUST(ocrLegacyBlockProgress(asked, NULL, NULL, NULL, LEGACY_PROP_NONE));
    end(0, NULL, 0, NULL);
}

/* ---- satisfy: events of another node, each with an EDT there. decrement: a latch of another node. ---- */

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const u64 *events = depv[0].ptr;
    for (u64 i = 0; i < paramv[0]; i++) {
        MUST(ocrEventSatisfySlot(guid(events[i]), NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    }
    return NULL_GUID;
}

static ocrGuid_t eventsOf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const ocrGuid_t of = template(empty, 0, 1);
    const int isLatch = paramv[1] != 0;
    u64 *events = depv[0].ptr;
    ocrGuid_t latch, next, edt;
    if (isLatch) {
        ocrEventParams_t params = {.EVENT_LATCH = {.counter = paramv[0]}};
        MUST(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
        MUST(ocrEdtCreate(&edt, of, 0, NULL, 1, &latch, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    for (u64 i = 0; i < paramv[0]; i++) {
        ocrGuid_t event = isLatch ? latch : eventOf(OCR_EVENT_STICKY_T);
        events[i] = (u64)event.guid;
        if (!isLatch) {
            MUST(ocrEdtCreate(&edt, of, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL));
        }
    }
    MUST(ocrDbRelease(depv[0].guid));
    ocrHint_t hint;
    onNode(&hint, 0);
    MUST(ocrEdtCreate(&next, template(satisfies, 1, 1), 1, paramv, 1, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(depv[0].guid, next, 0, DB_MODE_RO));
    return NULL_GUID;
}

static void events(u64 isLatch)
{
    u64 *entries, params[2] = {times, isLatch};
    const ocrGuid_t block = list(&entries);
    MUST(ocrDbRelease(block));
    runAs(eventsOf, 1, 2, params, block);
}

/* ---- fan: EDTs of node 1 wait for one event of node 0. A node creates them, and adds dependences then or later. */

static ocrGuid_t waiters(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(empty, 0, 1);
    ocrGuid_t event = guid(paramv[1]), edt;
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 i = 0; i < paramv[0]; i++) {
        MUST(ocrEdtCreate(&edt, of, 0, NULL, 1, paramv[2] ? NULL : &event, EDT_PROP_NONE, &hint, NULL));
        if (paramv[2]) {
            MUST(ocrAddDependence(event, edt, 0, DB_MODE_NULL));
        }
    }
    MUST(ocrEventSatisfy(event, NULL_GUID));
    return NULL_GUID;
}

static void fan(u64 creator, u64 later)
{
    u64 params[3] = {times, (u64)eventOf(OCR_EVENT_STICKY_T).guid, later};
    runAs(waiters, creator, 3, params, NULL_GUID);
}

/* ---- output: EDTs on another node, whose output events EDTs of this one wait for. ---- */

static ocrGuid_t outputs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t of = template(empty, 0, 1);
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 i = 0; i < paramv[0]; i++) {
        ocrGuid_t there, after, edt, event = guid(paramv[1]);
        MUST(ocrEdtCreate(&there, of, 0, NULL, 1, &event, EDT_PROP_NONE, &hint, &after));
        MUST(ocrEdtCreate(&edt, of, 0, NULL, 1, &after, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    MUST(ocrEventSatisfy(guid(paramv[1]), NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrAssert(ocrGetArgc(depv[0].ptr) == 3);
    const char *what = ocrGetArgv(depv[0].ptr, 1);
    times = strtoul(ocrGetArgv(depv[0].ptr, 2), NULL, 10);
    if (strcmp(what, "children") == 0) {
        runWithEvent(creates, 0);
    } else if (strcmp(what, "linked") == 0) {
        runWithEvent(links, 0);
    } else if (strcmp(what, "hop") == 0) {
        hops(DB_MODE_NULL);
    } else if (strcmp(what, "hop-read") == 0) {
        hops(DB_MODE_RO);
    } else if (strcmp(what, "hop-write") == 0) {
        hops(DB_MODE_RW);
    } else if (strcmp(what, "read") == 0) {
        runWithEvent(blocks, DB_MODE_RO);
    } else if (strcmp(what, "write") == 0) {
        runWithEvent(blocks, DB_MODE_RW);
    } else if (strcmp(what, "new") == 0) {
        startWithNew(16 << 10, 1);
    } else if (strcmp(what, "new-larger") == 0) {
        startWithNew((16 << 10) + 1, 1);
    } else if (strcmp(what, "new-three") == 0) {
        startWithNew(16 << 10, 3);
    } else if (strcmp(what, "pass") == 0) {
        runWithEvent(passes, DB_MODE_CONST);
    } else if (strcmp(what, "pass-write") == 0) {
        runWithEvent(passes, DB_MODE_RW);
    } else if (strcmp(what, "ahead") == 0) {
        ahead();
    } else if (strcmp(what, "satisfy") == 0) {
        events(0);
    } else if (strcmp(what, "decrement") == 0) {
        events(1);
    } else if (strncmp(what, "fan-", 4) == 0) {
        fan((u64)(what[4] - '0'), what[5] == '+');
    } else if (strcmp(what, "output") == 0) {
        runWithEvent(outputs, 0);
    } else {
        ocrAssert(false);
    }
    return NULL_GUID;
}
