/*
 * Objects on several nodes. Its first argument says what it does, the second how often. Each part computes something
 * that it knows, and prints "right".
 */
#include <ocr.h>
#include <extensions/ocr-affinity.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) ocrAssert((call) == 0)

static u64 nodes(void)
{
    u64 count = 0;
    MUST(ocrAffinityCount(AFFINITY_PD, &count));
    return count;
}

/* The number of the node that calls. */
static u64 here(void)
{
    ocrGuid_t current, all[64];
    u64 count = 64;
    MUST(ocrAffinityGetCurrent(&current));
    MUST(ocrAffinityGet(AFFINITY_PD, &count, all));
    for (u64 node = 0; node < count; node++) {
        if (ocrGuidIsEq(all[node], current)) {
            return node;
        }
    }
    ocrAssert(false);
    return 0;
}

static void onNode(ocrHint_t *hint, u64 node)
{
    ocrGuid_t affinity;
    MUST(ocrAffinityGetAt(AFFINITY_PD, node % nodes(), &affinity));
    MUST(ocrHintInit(hint, OCR_HINT_EDT_T));
    MUST(ocrSetHintValue(hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)));
}

static ocrGuid_t template(ocrEdt_t function, u32 paramc, u32 depc)
{
    ocrGuid_t guid;
    MUST(ocrEdtTemplateCreate(&guid, function, paramc, depc));
    return guid;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)depc;
    const u64 is = *(const u64 *)depv[0].ptr;
    ocrAssert(paramc == 1);
    if (is == paramv[0]) {
        printf("right: %lu on node %lu\n", (unsigned long)is, (unsigned long)here());
    } else {
        printf("wrong: %lu, not %lu\n", (unsigned long)is, (unsigned long)paramv[0]);
    }
    fflush(stdout);
    MUST(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

/* An EDT that compares a block with what should be in it, when `event` is satisfied, and ends the program. */
static void compareAfter(ocrGuid_t event, ocrGuid_t block, u64 wanted, u64 node)
{
    ocrGuid_t edt, of = template(done, 1, 2);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &wanted, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RO));
    MUST(ocrAddDependence(event, edt, 1, DB_MODE_NULL));
    MUST(ocrEdtTemplateDestroy(of));
}

static ocrGuid_t zero(void)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *start = 0;
    MUST(ocrDbRelease(block));
    return block;
}

/* ---- chain: an EDT goes from node to node with a block, and adds one each time. ---- */

static ocrGuid_t hop(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    u64 *count = depv[0].ptr;
    *count += 1;
    ocrAssert(here() == paramv[2] % nodes());
    if (*count == paramv[0]) {
        compareAfter(NULL_GUID, depv[0].guid, paramv[0], paramv[2] + 1);
        return NULL_GUID;
    }
    ocrGuid_t next, of = {.guid = (intptr_t)paramv[1]};
    ocrHint_t hint;
    u64 params[3] = {paramv[0], paramv[1], paramv[2] + 1};
    onNode(&hint, params[2]);
    MUST(ocrEdtCreate(&next, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, &depv[0].guid, EDT_PROP_NONE, &hint, NULL));
    return NULL_GUID;
}

static void chain(u64 times)
{
    ocrGuid_t block = zero(), of = template(hop, 3, 1), first;
    u64 params[3] = {times, (u64)of.guid, 0};
    MUST(ocrEdtCreate(&first, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT, NULL));
}

/* ---- scope: EDTs on all nodes create others on all nodes, in one finish scope. ---- */

static ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static void spread(ocrEdt_t function, u32 paramc, u64 *paramv, u64 count, ocrGuid_t block)
{
    ocrGuid_t of = template(function, paramc, 1);
    for (u64 at = 0; at < count; at++) {
        ocrHint_t hint;
        onNode(&hint, here() + at);
        MUST(ocrEdtCreate(NULL, of, EDT_PARAM_DEF, paramc > 0 ? paramv : NULL, EDT_PARAM_DEF, &block, EDT_PROP_NONE,
                          &hint, NULL));
    }
    MUST(ocrEdtTemplateDestroy(of));
}

static ocrGuid_t branch(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    spread(leaf, 0, NULL, paramv[0], depv[0].guid);
    return NULL_GUID;
}

static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    spread(branch, 1, paramv, paramv[0], depv[0].guid);
    return NULL_GUID;
}

/* The finish EDT is on this node. Its scope must not close before all has ended. */
static void scope(u64 times, u64 node)
{
    ocrGuid_t block = zero(), of = template(root, 1, 2), finish, after;
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&finish, of, EDT_PARAM_DEF, &times, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, &hint, &after));
    MUST(ocrAddDependence(block, finish, 0, DB_MODE_RO));
    compareAfter(after, block, times + times * times, node + 1);
    MUST(ocrAddDependence(NULL_GUID, finish, 1, DB_MODE_NULL));
    MUST(ocrEdtTemplateDestroy(of));
}

/* ---- events: an event of each type on one node, satisfied on another, waited for on a third. ---- */

static ocrGuid_t satisfier(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrGuid_t event = {.guid = (intptr_t)paramv[0]};
    MUST(ocrEventSatisfy(event, depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t receiver(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrAssert(*(const u64 *)depv[1].ptr == 4711);
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

/* Creates events and EDTs on this node and others, and connects them. */
static ocrGuid_t connector(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T,  OCR_EVENT_STICKY_T,  OCR_EVENT_IDEM_T,
                                     OCR_EVENT_LATCH_T, OCR_EVENT_COUNTED_T, OCR_EVENT_CHANNEL_T};
    const ocrGuid_t counter = {.guid = (intptr_t)paramv[1]};
    ocrGuid_t ofReceiver = template(receiver, 0, 2), ofSatisfier = template(satisfier, 1, 2);
    for (u64 time = 0; time < paramv[0]; time++) {
        for (unsigned at = 0; at < 6; at++) {
            ocrEventParams_t params;
            memset(&params, 0, sizeof params);
            if (types[at] == OCR_EVENT_LATCH_T) {
                params.EVENT_LATCH.counter = 1;
            } else if (types[at] == OCR_EVENT_COUNTED_T) {
                params.EVENT_COUNTED.nbDeps = 1;
            } else if (types[at] == OCR_EVENT_CHANNEL_T) {
                params.EVENT_CHANNEL.maxGen = 2;
                params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
            }
            ocrGuid_t event, waits, satisfies;
            ocrHint_t hint;
            MUST(ocrEventCreateParams(&event, types[at], EVT_PROP_TAKES_ARG, &params));
            onNode(&hint, at + time);
            MUST(ocrEdtCreate(&waits, ofReceiver, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                              NULL));
            MUST(ocrAddDependence(counter, waits, 0, DB_MODE_EW));
            MUST(ocrAddDependence(event, waits, 1, DB_MODE_RO));
            u64 param = (u64)event.guid;
            onNode(&hint, at + time + 1);
            MUST(ocrEdtCreate(&satisfies, ofSatisfier, EDT_PARAM_DEF, &param, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                              NULL));
            MUST(ocrAddDependence(depv[0].guid, satisfies, 0, DB_MODE_RO));
            MUST(ocrAddDependence(NULL_GUID, satisfies, 1, DB_MODE_NULL));
        }
    }
    return NULL_GUID;
}

/* The EDT that connects them is on this node. */
static void events(u64 times, u64 node)
{
    ocrGuid_t counter = zero(), of = template(connector, 2, 2), filled, edt, after;
    u64 *start, params[2] = {times, (u64)counter.guid};
    ocrHint_t hint;
    MUST(ocrDbCreate(&filled, (void **)&start, sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *start = 4711;
    MUST(ocrDbRelease(filled));
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, &hint, &after));
    MUST(ocrAddDependence(filled, edt, 0, DB_MODE_RO));
    compareAfter(after, counter, 6 * times, node);
    MUST(ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_NULL));
    MUST(ocrEdtTemplateDestroy(of));
}

/* ---- blocks: EDTs of all nodes in turn look at each byte of a block, and change it. ---- */

static ocrGuid_t turn(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    unsigned char *bytes = depv[0].ptr;
    for (u64 at = 0; at < paramv[1]; at++) {
        ocrAssert(bytes[at] == (unsigned char)(at * 7 + paramv[0]));
        bytes[at] += 1;
    }
    *(u64 *)depv[1].ptr += 1;
    return NULL_GUID;
}

static void blocks(u64 times, u64 size)
{
    ocrGuid_t block, counter = zero(), of = template(turn, 2, 3), before = NULL_GUID, first = NULL_GUID;
    unsigned char *bytes;
    MUST(ocrDbCreate(&block, (void **)&bytes, size, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    for (u64 at = 0; at < size; at++) {
        bytes[at] = (unsigned char)(at * 7);
    }
    MUST(ocrDbRelease(block));
    for (u64 time = 0; time < times; time++) {
        ocrGuid_t edt, after;
        ocrHint_t hint;
        u64 params[2] = {time, size};
        onNode(&hint, time + 1);
        MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, &after));
        MUST(ocrAddDependence(block, edt, 0, DB_MODE_EW));
        MUST(ocrAddDependence(counter, edt, 1, DB_MODE_EW));
        if (time == 0) {
            first = edt;
        } else {
            MUST(ocrAddDependence(before, edt, 2, DB_MODE_NULL));
        }
        before = after;
    }
    compareAfter(before, counter, times, 0);
    MUST(ocrAddDependence(NULL_GUID, first, 2, DB_MODE_NULL));
}

/* ---- copy: a call that is not there for blocks of other nodes. ---- */

static ocrGuid_t copies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t other = {.guid = (intptr_t)paramv[0]}, own = zero(), completed;
    (void)ocrDbCopy(own, 0, other, 0, 8, 0, &completed);
    ocrShutdown();
    return NULL_GUID;
}

static void copy(void)
{
    ocrHint_t hint;
    u64 param = (u64)zero().guid;
    onNode(&hint, 1);
    MUST(ocrEdtCreate(NULL, template(copies, 1, 0), EDT_PARAM_DEF, &param, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                      NULL));
}

/* ---- ends ---- */

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    printf("on node %lu\n", (unsigned long)here());
    fflush(stdout);
    if (paramv[0] == 0) {
        ocrShutdown();
    } else if (paramv[0] == 1) {
        ocrAbort(7);
    } else if (paramv[0] == 2) {
        volatile int *nothing = NULL;
        *nothing = 1;
    }
    return NULL_GUID;
}

static void endOn(u64 node, u64 how)
{
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(NULL, template(ends, 1, 0), EDT_PARAM_DEF, &how, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                      NULL));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const char *what = getArgv(depv[0].ptr, 1);
    const u64 times = getArgc(depv[0].ptr) > 2 ? (u64)atoll(getArgv(depv[0].ptr, 2)) : 1;
    const u64 node = getArgc(depv[0].ptr) > 3 ? (u64)atoll(getArgv(depv[0].ptr, 3)) : 0;
    if (strcmp(what, "chain") == 0) {
        chain(times);
    } else if (strcmp(what, "scope") == 0) {
        scope(times, node);
    } else if (strcmp(what, "events") == 0) {
        events(times, node);
    } else if (strcmp(what, "blocks") == 0) {
        blocks(times, (u64)atoll(getArgv(depv[0].ptr, 4)));
    } else if (strcmp(what, "copy") == 0) {
        copy();
    } else if (strcmp(what, "shutdown") == 0) {
        endOn(1, 0);
    } else if (strcmp(what, "abort") == 0) {
        endOn(1, 1);
    } else if (strcmp(what, "crash") == 0) {
        endOn(1, 2);
    } else if (strcmp(what, "hang") == 0) {
        endOn(1, 3);
    }
    return NULL_GUID;
}
