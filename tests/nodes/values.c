/*
 * Contents passed by value, and parts of blocks, on several nodes. Its first argument says what it does, the second on
 * which node the objects are that others use. Each of these computes something that it knows, and prints "right".
 */
#include "nodes.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-info.h>
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-legacy.h>

static ocrGuid_t guid(u64 bits)
{
    return (ocrGuid_t){.guid = (intptr_t)bits};
}

/* A block that the caller holds, with the same number in each word. */
static ocrGuid_t filled(u64 words, u64 with)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, words * sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    for (u64 at = 0; at < words; at++) {
        start[at] = with;
    }
    return block;
}

static ocrGuid_t on(u64 node, ocrEdt_t function, u32 paramc, u64 *paramv, u32 depc, u16 properties, ocrGuid_t *after)
{
    ocrGuid_t edt, of = template(function, paramc, depc);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, properties, &hint, after));
    MUST(ocrEdtTemplateDestroy(of));
    return edt;
}

/* Runs `function` on a node in a finish scope, and compares the counter, its first parameter, with `wanted` then. */
static void inScope(u64 node, ocrEdt_t function, u32 paramc, u64 *paramv, u64 wanted)
{
    ocrGuid_t after, edt = on(node, function, paramc, paramv, 1, EDT_PROP_FINISH, &after);
    compareAfter(after, guid(paramv[0]), wanted, node + 1);
    MUST(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL));
}

/* ---- value: contents go to EDTs and events of other nodes, in one message or behind it ---- */

static const u64 sizes[] = {1, 4096, 4097, 20000};

enum { SIZES = sizeof sizes / sizeof *sizes, WAYS = 6 };

enum { DESTROYS = 1, WRITES = 2 };

/* Adds the words of its second block, if it is shown one, to the first. It may write into a copy of its own. */
static ocrGuid_t sums(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    u64 *words = depv[1].ptr, size = 0;
    ocrAssert((words == NULL) == (paramv[0] == 0));
    for (u64 at = 0; at < paramv[0]; at++) {
        *(u64 *)depv[0].ptr += words[at];
        if (paramv[1] & WRITES) {
            words[at] = 1000000;
        }
    }
    if (words != NULL) {
        MUST(ocrDbGetSize(depv[1].guid, &size));
        ocrAssert(size == paramv[0] * sizeof *words);
    }
    if (paramv[1] & DESTROYS) {
        MUST(ocrDbDestroy(depv[1].guid));
    }
    return NULL_GUID;
}

static ocrGuid_t summer(u64 node, ocrGuid_t counter, u64 words, u64 how)
{
    ocrGuid_t edt = on(node, sums, 2, (u64[]){words, how}, 2, EDT_PROP_NONE, NULL);
    MUST(ocrAddDependence(counter, edt, 0, DB_MODE_EW));
    return edt;
}

/* Passes on a block that it has, of whatever node. */
static ocrGuid_t passesOn(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    MUST(ocrAddDependenceByValue(depv[0].guid, summer(paramv[1], guid(paramv[0]), paramv[2], 0), 1, DB_MODE_RW));
    MUST(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

enum { COUNTER, THERE, STICKIES };

static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t counter = guid(paramv[COUNTER]);
    const u64 there = paramv[THERE];
    for (u64 at = 0; at < SIZES; at++) {
        const u64 words = sizes[at];
        const ocrGuid_t block = filled(words, at + 1), sticky = guid(paramv[STICKIES + at]);
        ocrGuid_t once, latch, from;
        /* To an EDT, and to some that are shown nothing. */
        MUST(ocrAddDependenceByValue(block, summer(there, counter, words, WRITES | (at & DESTROYS)), 1, DB_MODE_EW));
        MUST(ocrAddDependenceByValue(NULL_GUID, summer(there, counter, 0, 0), 1, DB_MODE_RW));
        MUST(ocrAddDependenceByValue(block, summer(there, counter, 0, 0), 1, DB_MODE_NULL));
        /* To an event of this node that passes it on to EDTs of several. */
        MUST(ocrEventCreate(&once, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG));
        MUST(ocrAddDependence(once, summer(there, counter, words, 0), 1, DB_MODE_EW));
        MUST(ocrAddDependence(once, summer(there + 2, counter, words, 0), 1, DB_MODE_RW));
        MUST(ocrAddDependence(once, summer(there, counter, 0, 0), 1, DB_MODE_NULL));
        MUST(ocrAddDependenceByValue(block, once, 0, DB_MODE_RO));
        /* By one event to the next. */
        MUST(ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_TAKES_ARG));
        MUST(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        MUST(ocrEventCreate(&from, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG));
        MUST(ocrAddDependence(from, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_RO));
        MUST(ocrAddDependence(latch, summer(there, counter, words, 0), 1, DB_MODE_RW));
        MUST(ocrAddDependenceByValue(block, from, 0, DB_MODE_RO));
        /* To an event of another node that keeps it. */
        MUST(ocrAddDependence(sticky, summer(there + 2, counter, words, DESTROYS | WRITES), 1, DB_MODE_RW));
        MUST(ocrAddDependenceByValue(block, sticky, 0, DB_MODE_RO));
        ocrAssert(ocrAddDependenceByValue(block, sticky, 2, DB_MODE_RO) == OCR_EINVAL);
        /* By an EDT of a third node, which gets the block itself. It is the caller's no more then. */
        ocrGuid_t next = on(there + 1, passesOn, 3, (u64[]){paramv[COUNTER], there, words}, 1, EDT_PROP_NONE, NULL);
        MUST(ocrDbRelease(block));
        ocrGuid_t last = summer(there, counter, 0, 0);
        ocrAssert(ocrAddDependenceByValue(block, last, 1, DB_MODE_RO) == OCR_EACCES);
        MUST(ocrAddDependence(NULL_GUID, last, 1, DB_MODE_NULL));
        MUST(ocrAddDependence(block, next, 0, DB_MODE_CONST));
    }
    return NULL_GUID;
}

/* Makes the events of its node, and has EDTs of another one pass contents to them. */
static ocrGuid_t prepares(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    u64 params[STICKIES + SIZES] = {paramv[COUNTER], paramv[THERE]}, wanted = 0;
    for (u64 at = 0; at < SIZES; at++) {
        ocrGuid_t sticky;
        MUST(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
        params[STICKIES + at] = (u64)sticky.guid;
        wanted += WAYS * sizes[at] * (at + 1);
    }
    inScope(paramv[THERE] + 1, passes, STICKIES + SIZES, params, wanted);
    return NULL_GUID;
}

/* ---- parts: of a block of one node, made on another one, and written and read on all ---- */

enum { PARTS = 12, EACH = 1000, HALF = EACH / 2, ROUNDS = 3 };

/* Adds one to each word of its first block. */
static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    u64 *words = depv[0].ptr;
    for (u64 at = 0; at < paramv[0]; at++) {
        words[at]++;
    }
    return NULL_GUID;
}

/* Compares the words of a part with what all have left there. */
static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const u64 *words = depv[0].ptr;
    for (u64 at = 0; at < EACH; at++) {
        ocrAssert(words[at] == paramv[0]);
    }
    return NULL_GUID;
}

/* Destroys a part, or has it copied back to its whole. */
static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t copied = NULL_GUID;
    if (paramv[1] == 0) {
        MUST(ocrDbDestroy(guid(paramv[0])));
    } else {
        MUST(ocrDbCopy(guid(paramv[1]), paramv[2], guid(paramv[0]), 0, EACH * sizeof(u64), DB_COPY_PARTITION_BACK,
                       &copied));
    }
    return copied;
}

/* Has EDTs of all nodes add to a block, one after the other. What comes after the last. */
static ocrGuid_t added(ocrGuid_t block, u64 words, u64 first)
{
    ocrGuid_t before = NULL_GUID;
    for (u64 round = 0; round < ROUNDS * nodes(); round++) {
        ocrGuid_t after, lasting, edt = on(first + round, adds, 1, &words, 2, EDT_PROP_NONE, &after);
        MUST(ocrEventCreate(&lasting, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
        MUST(ocrAddDependence(after, lasting, 0, DB_MODE_NULL));
        MUST(ocrAddDependence(block, edt, 0, round & 1 ? DB_MODE_RW : DB_MODE_EW));
        MUST(ocrAddDependence(before, edt, 1, DB_MODE_NULL));
        before = lasting;
    }
    return before;
}

/* Ends a part on a node, after an event. */
static void endAfter(ocrGuid_t event, u64 node, ocrGuid_t part, u64 whole, u64 offset)
{
    u64 params[3] = {(u64)part.guid, whole, offset};
    MUST(ocrAddDependence(event, on(node, ends, 3, params, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL));
}

static ocrGuid_t sumsWhole(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const u64 *words = depv[1].ptr;
    for (u64 at = 0; at < PARTS * EACH; at++) {
        *(u64 *)depv[0].ptr += words[at];
    }
    return NULL_GUID;
}

/* Writes to a block that it has, and divides it; one part in turn. They have what it has written. */
static ocrGuid_t divides(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const ocrGuid_t whole = depv[0].guid;
    u64 *words = depv[0].ptr, is = 1 + ROUNDS * nodes();
    ocrDbPart_t parts[PARTS], inner[2], wrong[2] = {{.offset = 0, .size = 8}, {.offset = 4, .size = 8}};
    for (u64 at = 0; at < PARTS * EACH; at++) {
        words[at] = 1;
    }
    for (u64 at = 0; at < PARTS; at++) {
        parts[at] = (ocrDbPart_t){.offset = at * EACH * sizeof(u64), .size = EACH * sizeof(u64)};
    }
    ocrAssert(ocrDbPartition(whole, 2, wrong, 0) == OCR_EINVAL);
    MUST(ocrDbPartition(whole, PARTS, parts, OCR_DB_PARTITION_STATIC));
    ocrAssert(ocrDbPartition(whole, 1, wrong, 0) == OCR_EPERM);
    for (u64 at = 0; at < PARTS; at++) {
        const ocrGuid_t part = parts[at].guid;
        ocrGuid_t event = NULL_GUID, latch;
        ocrEventParams_t asMany;
        if (at == 5) {
            for (u64 half = 0; half < 2; half++) {
                inner[half] = (ocrDbPart_t){.offset = half * HALF * sizeof(u64), .size = HALF * sizeof(u64)};
            }
            MUST(ocrDbPartition(part, 2, inner, 0));
            for (u64 half = 0; half < 2; half++) {
                endAfter(added(inner[half].guid, HALF, half), half, inner[half].guid, 0, 0);
            }
        } else {
            event = added(part, EACH, at);
        }
        memset(&asMany, 0, sizeof asMany);
        asMany.EVENT_LATCH.counter = nodes();
        MUST(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &asMany));
        endAfter(latch, at + 1, part, at % 3 ? 0 : (u64)whole.guid, parts[at].offset);
        for (u64 node = 0; node < nodes(); node++) {
            ocrGuid_t read, edt = on(node, reads, 1, &is, 2, EDT_PROP_NONE, &read);
            MUST(ocrAddDependence(read, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL));
            MUST(ocrAddDependence(part, edt, 0, node & 1 ? DB_MODE_RO : DB_MODE_CONST));
            MUST(ocrAddDependence(event, edt, 1, DB_MODE_NULL));
        }
    }
    ocrGuid_t edt = on(nodes() - 1, sumsWhole, 0, NULL, 2, EDT_PROP_NONE, NULL);
    MUST(ocrAddDependence(guid(paramv[0]), edt, 0, DB_MODE_EW));
    MUST(ocrAddDependence(whole, edt, 1, DB_MODE_RO));
    return NULL_GUID;
}

/* Has an EDT of another node divide a block of this one. */
static ocrGuid_t partsThere(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t whole = filled(PARTS * EACH, 0);
    MUST(ocrDbRelease(whole));
    MUST(ocrAddDependence(whole, on(paramv[THERE] + 1, divides, 1, paramv, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW));
    return NULL_GUID;
}

/* ---- order: EDTs of all nodes want parts, parts of these, and other blocks of the same node, two at a time ---- */

enum { BLOCKS = 5, EDTS = 40 };

/* Adds one to each of its blocks. */
static ocrGuid_t addsToTwo(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ++*(u64 *)depv[0].ptr;
    ++*(u64 *)depv[1].ptr;
    return NULL_GUID;
}

static ocrGuid_t wantsTwo(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 at = 0; at < EDTS; at++) {
        ocrGuid_t edt = on(here(), addsToTwo, 0, NULL, 3, EDT_PROP_NONE, NULL);
        for (u32 slot = 0; slot < 2; slot++) {
            u64 which = (at * (slot ? 1 : 3) + slot * (1 + at % (BLOCKS - 1)) + (slot ? 2 * at : 0)) % BLOCKS;
            MUST(ocrAddDependence(guid(paramv[which]), edt, slot, at % 3 ? DB_MODE_EW : DB_MODE_RW));
        }
        MUST(ocrAddDependence(guid(paramv[BLOCKS]), edt, 2, DB_MODE_NULL));
    }
    return NULL_GUID;
}

static ocrGuid_t allWant(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 node = 0; node < nodes(); node++) {
        start(wantsTwo, node, BLOCKS + 1, paramv, 0, NULL);
    }
    MUST(ocrEventSatisfy(guid(paramv[BLOCKS]), NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t sumsAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    for (u32 at = 0; at < BLOCKS; at++) {
        *(u64 *)depv[0].ptr += *(u64 *)depv[2 + at].ptr;
    }
    compareAfter(NULL_GUID, depv[0].guid, paramv[0], 0);
    return NULL_GUID;
}

/* A block before the whole and one behind it, two parts, and a part of a part. */
static ocrGuid_t orders(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t first = filled(1, 0), whole = filled(64, 0), last = filled(1, 0), go, after;
    ocrDbPart_t parts[3], inner[1] = {{.offset = 0, .size = 16}};
    for (u64 at = 0; at < 3; at++) {
        parts[at] = (ocrDbPart_t){.offset = at * 128, .size = 128};
    }
    MUST(ocrDbRelease(first));
    MUST(ocrDbRelease(whole));
    MUST(ocrDbRelease(last));
    MUST(ocrDbPartition(whole, 3, parts, 0));
    MUST(ocrDbPartition(parts[2].guid, 1, inner, 0));
    MUST(ocrEventCreate(&go, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    const ocrGuid_t all[BLOCKS] = {first, parts[0].guid, last, parts[1].guid, inner[0].guid};
    u64 params[BLOCKS + 1] = {0, 0, 0, 0, 0, (u64)go.guid}, wanted = 2 * EDTS * nodes();
    ocrGuid_t finish, end = on(here(), sumsAll, 1, &wanted, 2 + BLOCKS, EDT_PROP_NONE, NULL);
    for (u32 at = 0; at < BLOCKS; at++) {
        params[at] = (u64)all[at].guid;
    }
    finish = on(here(), allWant, BLOCKS + 1, params, 1, EDT_PROP_FINISH, &after);
    MUST(ocrAddDependence(guid(paramv[COUNTER]), end, 0, DB_MODE_EW));
    MUST(ocrAddDependence(after, end, 1, DB_MODE_NULL));
    for (u32 at = 0; at < BLOCKS; at++) {
        MUST(ocrAddDependence(all[at], end, 2 + at, DB_MODE_RO));
    }
    MUST(ocrAddDependence(NULL_GUID, finish, 0, DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const char *what = getArgv(depv[0].ptr, 1);
    const u64 there = (u64)atoll(getArgv(depv[0].ptr, 2));
    u64 params[2] = {(u64)zero().guid, there};
    if (strcmp(what, "value") == 0) {
        start(prepares, there, 2, params, 0, NULL);
    } else if (strcmp(what, "parts") == 0) {
        inScope(there, partsThere, 2, params, PARTS * EACH * (1 + ROUNDS * nodes()));
    } else if (strcmp(what, "order") == 0) {
        start(orders, there, 2, params, 0, NULL);
    }
    return NULL_GUID;
}
