/*
 * Objects on several nodes. Its first argument says what it does, the second how often. Each part computes something
 * that it knows, and prints "right".
 */
#include "nodes.h"
#include <extensions/ocr-debug.h>
#include <extensions/ocr-file.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-runtime-itf.h>
#include <extensions/ocr-variants.h>
#include <pthread.h>
#include <unistd.h>

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

/* A block of this node with 4711 in it, which `receiver` looks for. */
static ocrGuid_t filled(void)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *start = 4711;
    MUST(ocrDbRelease(block));
    return block;
}

/* Creates an EDT of `receiver` on a node, whose first pre-slot has the counter. The second is open. */
static ocrGuid_t receive(ocrGuid_t counter, u64 node, ocrGuid_t *after)
{
    ocrGuid_t edt, of = template(receiver, 0, 2);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, after));
    MUST(ocrAddDependence(counter, edt, 0, DB_MODE_EW));
    MUST(ocrEdtTemplateDestroy(of));
    return edt;
}

/* ---- returned: EDTs return events of other nodes, which trigger later. ---- */

static ocrGuid_t returner(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    return (ocrGuid_t){.guid = (intptr_t)paramv[0]};
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrAssert(depv[0].ptr == NULL && ocrGuidIsNull(depv[0].guid));
    return NULL_GUID;
}

/* An event of this node is returned by an EDT of `node`, a finish EDT too. One that is gone counts as NULL_GUID. */
static void returned(u64 node)
{
    ocrGuid_t counter = zero(), block = filled(), of = template(returner, 1, 1), ofNothing = template(nothing, 0, 1);
    ocrGuid_t events[2], before = NULL_GUID;
    ocrHint_t hint;
    onNode(&hint, node);
    for (unsigned at = 0; at < 2; at++) {
        ocrGuid_t edt, after, waits, next;
        MUST(ocrEventCreate(&events[at], OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
        u64 param = (u64)events[at].guid;
        const u16 properties = at == 0 ? EDT_PROP_NONE : EDT_PROP_FINISH;
        MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &param, EDT_PARAM_DEF, NULL, properties, &hint, &after));
        waits = receive(counter, at, &next);
        MUST(ocrAddDependence(after, waits, 1, DB_MODE_RO));
        MUST(ocrAddDependence(before, edt, 0, DB_MODE_NULL));
        before = next;
    }
    ocrGuid_t gone, edt, after, waits, next;
    MUST(ocrEventCreate(&gone, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrEventDestroy(gone));
    u64 param = (u64)gone.guid;
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &param, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, &after));
    MUST(ocrEdtCreate(&waits, ofNothing, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &after, EDT_PROP_NONE, NULL_HINT, &next));
    compareAfter(next, counter, 2, 0);
    MUST(ocrAddDependence(before, edt, 0, DB_MODE_NULL));
    MUST(ocrEventSatisfy(events[0], block));
    MUST(ocrEventSatisfy(events[1], block));
}

/* ---- passed: an event of node 0 keeps a block that is gone, and passes its GUID on to node 1. ---- */

static ocrGuid_t keeper(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t kept = {.guid = (intptr_t)paramv[0]}, block = filled(), counter = zero(), of = template(leaf, 0, 3);
    ocrGuid_t own, edt, after;
    MUST(ocrEventSatisfy(kept, block));
    MUST(ocrDbDestroy(block));
    MUST(ocrEventCreate(&own, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG));
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &after));
    compareAfter(after, counter, 1, 1);
    MUST(ocrAddDependence(counter, edt, 0, DB_MODE_EW));
    MUST(ocrAddDependence(own, edt, 1, DB_MODE_NULL));
    MUST(ocrAddDependence(kept, edt, 2, DB_MODE_NULL));
    MUST(ocrAddDependence(kept, own, 0, DB_MODE_NULL));
    return NULL_GUID;
}

static void passed(void)
{
    ocrGuid_t kept;
    MUST(ocrEventCreate(&kept, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    u64 param = (u64)kept.guid;
    start(keeper, 1, 1, &param, 0, NULL);
}

/* ---- refused: EDTs that another node does not create are in no finish scope. ---- */

/* Adds one, and creates the next that does so on the next node. */
static ocrGuid_t stepper(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    if (paramv[0] > 1) {
        u64 rest = paramv[0] - 1;
        start(stepper, here() + 1, 1, &rest, 1, &depv[0].guid);
    }
    return NULL_GUID;
}

static ocrGuid_t misled(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrGuid_t gone = {.guid = (intptr_t)paramv[0]}, of = template(leaf, 0, 1), edt;
    ocrHint_t hint;
    onNode(&hint, 1);
    for (u64 at = 0; at < 10; at++) {
        /* The call is sent, and refused there. */
        MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &gone, EDT_PROP_NONE, &hint, NULL));
    }
    MUST(ocrEdtTemplateDestroy(of));
    u64 steps = 20;
    start(stepper, 1, 1, &steps, 1, &depv[0].guid);
    return NULL_GUID;
}

static ocrGuid_t misleader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t gone, edt, after, of = template(misled, 1, 1), block = {.guid = (intptr_t)paramv[0]};
    ocrHint_t hint;
    MUST(ocrEventCreate(&gone, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrEventDestroy(gone));
    u64 param = (u64)gone.guid;
    onNode(&hint, 0);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &param, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, &hint, &after));
    compareAfter(after, block, 20, 1);
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RO));
    return NULL_GUID;
}

/* ---- kernel: a kernel on node 1 writes a part of a block of node 0. ---- */

static void oneItem(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range)
{
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = 1;
}

/* The settings of the test have the kernel run wherever there is a device. */
static ocrGuid_t noKernel(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAssert(false);
    return NULL_GUID;
}

static ocrGuid_t launcher(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (intptr_t)paramv[0]}, of, edt, after;
    u64 devices = 0;
    MUST(ocrAffinityCount(AFFINITY_OCL, &devices));
    if (devices == 0) {
        printf("right: there is no device\n");
        fflush(stdout);
        ocrShutdown();
        return NULL_GUID;
    }
    of = template(noKernel, 0, 2);
    const char *source = "__kernel void more(__global ulong *count) { count[0] += 1; }";
    MUST(ocrEdtTemplateAddKernel(of, source, NULL, "more", oneItem, OCR_NO_RESULT));
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &after));
    compareAfter(after, block, 4712, 1);
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RW));
    MUST(ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_NULL));
    return NULL_GUID;
}

/* ---- gone: a dependence on the output event of an EDT of node 1 that has ended with a block of node 0. ---- */

static ocrGuid_t passer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    return depv[0].guid;
}

static ocrGuid_t creator(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrGuid_t block = {.guid = (intptr_t)paramv[0]}, of = template(passer, 0, 1);
    ocrHint_t hint;
    onNode(&hint, 1);
    MUST(ocrEdtCreate(NULL, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &block, EDT_PROP_NONE, &hint, depv[0].ptr));
    return NULL_GUID;
}

static ocrGuid_t latecomer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrGuid_t counter = {.guid = (intptr_t)paramv[0]}, after;
    ocrGuid_t waits = receive(counter, 0, &after);
    compareAfter(after, counter, 1, 0);
    MUST(ocrAddDependence(*(ocrGuid_t *)depv[0].ptr, waits, 1, DB_MODE_RO));
    return NULL_GUID;
}

static void gone(void)
{
    ocrGuid_t of = template(creator, 1, 1), late = template(latecomer, 1, 2), memo, finish, last, after, *place;
    u64 block = (u64)filled().guid, counter = (u64)zero().guid;
    MUST(ocrDbCreate(&memo, (void **)&place, sizeof *place, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    MUST(ocrDbRelease(memo));
    MUST(ocrEdtCreate(&finish, of, EDT_PARAM_DEF, &block, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
    MUST(ocrEdtCreate(&last, late, EDT_PARAM_DEF, &counter, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(memo, last, 0, DB_MODE_RO));
    MUST(ocrAddDependence(after, last, 1, DB_MODE_NULL));
    MUST(ocrAddDependence(memo, finish, 0, DB_MODE_EW));
}

/* ---- labels: EDTs of node 0 wait for an event and a block on labels of node 1, which are created later. ---- */

static ocrGuid_t lateMaker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = {.guid = (intptr_t)paramv[0]}, block = {.guid = (intptr_t)paramv[1]};
    u64 *start;
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC));
    *start = 4711;
    MUST(ocrDbRelease(block));
    MUST(ocrEventSatisfy(event, block));
    return NULL_GUID;
}

static ocrGuid_t earlyUser(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t counter = zero(), event = {.guid = (intptr_t)paramv[0]}, block = {.guid = (intptr_t)paramv[1]};
    ocrGuid_t first, last, waits = receive(counter, 0, &first), then = receive(counter, 0, &last);
    ocrGuid_t of = template(leaf, 0, 3);
    MUST(ocrAddDependence(event, waits, 1, DB_MODE_RO));
    MUST(ocrAddDependence(block, then, 1, DB_MODE_RO));
    ocrGuid_t both, after;
    MUST(ocrEdtCreate(&both, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &after));
    compareAfter(after, counter, 3, 0);
    MUST(ocrAddDependence(counter, both, 0, DB_MODE_EW));
    MUST(ocrAddDependence(first, both, 1, DB_MODE_NULL));
    MUST(ocrAddDependence(last, both, 2, DB_MODE_NULL));
    start(lateMaker, 1, 2, paramv, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t templateMaker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label = {.guid = (intptr_t)paramv[0]};
    MUST(ocrEdtTemplateCreateLabeled(&label, leaf, 0, 1, GUID_PROP_IS_LABELED, NULL));
    return NULL_GUID;
}

static ocrGuid_t labeler(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t events, blocks, templates, labels[2];
    MUST(ocrGuidRangeCreate(&events, 1, GUID_USER_EVENT_STICKY));
    MUST(ocrGuidRangeCreate(&blocks, 1, GUID_USER_DB));
    MUST(ocrGuidFromIndex(&labels[0], events, 0));
    MUST(ocrGuidFromIndex(&labels[1], blocks, 0));
    if (paramv[0] == 1) {
        MUST(ocrGuidRangeCreate(&templates, 1, GUID_USER_EDT_TEMPLATE));
        MUST(ocrGuidFromIndex(&labels[0], templates, 0));
        start(templateMaker, 0, 1, (u64[]){(u64)labels[0].guid}, 0, NULL);
        return NULL_GUID;
    }
    u64 params[2] = {(u64)labels[0].guid, (u64)labels[1].guid};
    start(earlyUser, 0, 2, params, 0, NULL);
    return NULL_GUID;
}

/* ---- given: an EDT of node 0 without depv is given an output event of node 1. ---- */

static ocrGuid_t givenUser(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrGuid_t event = {.guid = (intptr_t)paramv[0]}, edt, of = template(passer, 0, 1);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &event));
    MUST(ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO));
    return NULL_GUID;
}

static ocrGuid_t giver(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t counter = zero(), event, after;
    MUST(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG));
    ocrGuid_t waits = receive(counter, 1, &after);
    MUST(ocrAddDependence(event, waits, 1, DB_MODE_RO));
    compareAfter(after, counter, 1, 1);
    u64 param = (u64)event.guid;
    start(givenUser, 0, 1, &param, 1, &depv[0].guid);
    return NULL_GUID;
}

/* ---- overtake: an EDT adds a dependence on an event of node 1. Then it has an EDT run on the last node, which
   satisfies that event: it finds the dependence there. The way says how it has that EDT run. ---- */

enum { CREATED, LINKED, LINKED_BY_EVENT, RELAYED, RELAYED_BY_EVENT };

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    MUST(ocrEventSatisfy((ocrGuid_t){.guid = (intptr_t)paramv[0]}, NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t isReached(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* Has an EDT satisfy an event, on the last node. */
static ocrGuid_t relays(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrHint_t last;
    onNode(&last, nodes() - 1);
    MUST(ocrEdtCreate(NULL, template(satisfies, 1, 0), EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &last,
                      NULL));
    return NULL_GUID;
}

/* Of node 1, events that nobody has satisfied; then as many of the last node, which are. */
static ocrGuid_t waitsForAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const ocrGuid_t *of1 = depv[0].ptr, *ofLast = of1 + paramv[0];
    ocrGuid_t waits = template(isReached, 0, 1), other = template(satisfies, 1, EDT_PARAM_UNK);
    ocrGuid_t relay = template(relays, 1, 1), here;
    ocrHint_t last;
    onNode(&last, nodes() - 1);
    MUST(ocrEventCreate(&here, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrEventSatisfy(here, NULL_GUID));
    for (u64 at = 0; at < paramv[0]; at++) {
        ocrGuid_t edt;
        u64 event = (u64)of1[at].guid;
        const ocrGuid_t sources[] = {[LINKED] = NULL_GUID, [LINKED_BY_EVENT] = here, [RELAYED] = NULL_GUID,
                                     [RELAYED_BY_EVENT] = ofLast[at]};
        MUST(ocrEdtCreate(&edt, waits, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
        MUST(ocrAddDependence(of1[at], edt, 0, DB_MODE_NULL));
        if (paramv[1] == CREATED) {
            MUST(ocrEdtCreate(NULL, other, EDT_PARAM_DEF, &event, 0, NULL, EDT_PROP_NONE, &last, NULL));
        } else if (paramv[1] <= LINKED_BY_EVENT) {
            MUST(ocrEdtCreate(&edt, other, EDT_PARAM_DEF, &event, 1, NULL, EDT_PROP_NONE, &last, NULL));
            MUST(ocrAddDependence(sources[paramv[1]], edt, 0, DB_MODE_NULL));
        } else {
            MUST(ocrEdtCreate(&edt, relay, EDT_PARAM_DEF, &event, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
            MUST(ocrAddDependence(sources[paramv[1]], edt, 0, DB_MODE_NULL));
        }
    }
    return NULL_GUID;
}

static ocrGuid_t makesEvents(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const bool isLast = here() == nodes() - 1;
    ocrGuid_t *place = (ocrGuid_t *)depv[0].ptr + (isLast ? paramv[0] : 0);
    for (u64 at = 0; at < paramv[0]; at++) {
        MUST(ocrEventCreate(place + at, isLast ? OCR_EVENT_STICKY_T : OCR_EVENT_ONCE_T, EVT_PROP_NONE));
        if (isLast) {
            MUST(ocrEventSatisfy(place[at], NULL_GUID));
        }
    }
    return NULL_GUID;
}

static void overtake(u64 times, u64 way)
{
    ocrGuid_t block, waits, isOver;
    void *start;
    const u64 params[] = {times, way};
    MUST(ocrDbCreate(&block, &start, 2 * times * sizeof(ocrGuid_t), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    MUST(ocrDbRelease(block));
    MUST(ocrEdtCreate(&waits, template(waitsForAll, 2, 3), EDT_PARAM_DEF, (u64 *)params, EDT_PARAM_DEF, NULL,
                      EDT_PROP_FINISH, NULL_HINT, &isOver));
    compareAfter(isOver, zero(), 0, 0);
    MUST(ocrAddDependence(block, waits, 0, DB_MODE_RO));
    const u64 makers[] = {1, nodes() - 1};
    for (u32 at = 0; at < 2; at++) {
        ocrGuid_t makes, isMade;
        ocrHint_t hint;
        onNode(&hint, makers[at]);
        MUST(ocrEdtCreate(&makes, template(makesEvents, 1, 1), EDT_PARAM_DEF, &times, EDT_PARAM_DEF, NULL,
                          EDT_PROP_NONE, &hint, &isMade));
        MUST(ocrAddDependence(isMade, waits, 1 + at, DB_MODE_NULL));
        MUST(ocrAddDependence(block, makes, 0, DB_MODE_RW));
    }
}

/* ---- late: a dependence on a pre-slot that an EDT of node 1 does not have. ---- */

static void late(void)
{
    ocrGuid_t edt, block = zero();
    ocrHint_t hint;
    u64 wanted = 0;
    onNode(&hint, 1);
    MUST(ocrEdtCreate(&edt, template(done, 1, 1), EDT_PARAM_DEF, &wanted, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                      NULL));
    MUST(ocrAddDependence(block, edt, 7, DB_MODE_RO));
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RO));
}

/* ---- many: an EDT of node 1 is created with so many dependences. ---- */

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depv;
    printf("right: %u dependences\n", depc);
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static void many(u64 count)
{
    ocrGuid_t *depv = calloc(count, sizeof *depv);
    ocrAssert(depv != NULL);
    for (u64 at = 0; at < count; at++) {
        depv[at] = NULL_GUID;
    }
    start(counts, 1, 0, NULL, (u32)count, depv);
    free(depv);
}

/* ---- asks: calls that only pass on the GUID of an object of another node. ---- */

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = {.guid = (intptr_t)paramv[0]}, edt = {.guid = (intptr_t)paramv[1]}, where, first;
    u64 count = 1;
    MUST(ocrAffinityQuery(block, &count, &where));
    MUST(ocrAffinityGetAt(AFFINITY_PD, 0, &first));
    ocrAssert(count == 1 && ocrGuidIsEq(where, first));
    ocrElsUserSet(0, block);
    ocrAssert(ocrGuidIsEq(ocrElsUserGet(0), block));
    MUST(ocrNoteCausality(edt, edt));
    printf("right: asked on node %lu\n", (unsigned long)here());
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static void ask(void)
{
    ocrGuid_t edt, of = template(leaf, 0, 1);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    u64 params[2] = {(u64)zero().guid, (u64)edt.guid};
    start(asks, 1, 2, params, 0, NULL);
}

/* ---- single: a block that is written once is read on another node. ---- */

static void single(void)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, DB_PROP_SINGLE_ASSIGNMENT, NULL_HINT, NO_ALLOC));
    *start = 4711;
    MUST(ocrDbRelease(block));
    compareAfter(NULL_GUID, block, 4711, 1);
}

/* ---- chunk: a part of a file, which EDTs of another node can read, and cannot write. ---- */

static void chunk(const char *path)
{
    ocrGuid_t file, descriptor, block;
    MUST(ocrFileOpen(&file, path, "w+", &descriptor, 0));
    MUST(ocrFileGetChunk(&block, file, 0, 8));
    start(leaf, 1, 0, NULL, 1, &block);
}

static void chunkToRead(const char *path)
{
    ocrGuid_t file, descriptor, block;
    const u64 content[2] = {7, 4711};
    FILE *written = fopen(path, "w");
    ocrAssert(written != NULL && fwrite(content, sizeof content, 1, written) == 1 && fclose(written) == 0);
    MUST(ocrFileOpen(&file, path, "r", &descriptor, 0));
    MUST(ocrFileGetChunk(&block, file, 8, 8));
    MUST(ocrFileRelease(file));
    compareAfter(NULL_GUID, block, 4711, 1);
}

/* ---- thread: a thread of the program on node 1 goes on after its EDT. ---- */

static void *later(void *argument)
{
    usleep(500000);
    MUST(ocrEventSatisfy((ocrGuid_t){.guid = (intptr_t)argument}, NULL_GUID));
    return NULL;
}

static ocrGuid_t starter(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    pthread_t thread;
    ocrAssert(pthread_create(&thread, NULL, later, (void *)paramv[0]) == 0);
    ocrAssert(pthread_detach(thread) == 0);
    return NULL_GUID;
}

static void thread(void)
{
    ocrGuid_t event;
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    compareAfter(event, zero(), 0, 0);
    u64 param = (u64)event.guid;
    start(starter, 1, 1, &param, 0, NULL);
}

/* ---- straggler: an EDT of node 1 goes on with calls while the program ends. ---- */

static ocrGuid_t straggler(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)depc, (void)depv;
    ocrGuid_t event = {.guid = (intptr_t)paramv[0]}, latch = {.guid = (intptr_t)paramv[1]};
    MUST(ocrEventSatisfy(event, NULL_GUID));
    for (u64 at = 2; at < paramc; at++) {
        usleep(5000);
        MUST(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        ocrGuid_t block = {.guid = (intptr_t)paramv[at]};
        start(leaf, 1, 0, NULL, 1, &block);
    }
    return latch;
}

static void straggle(void)
{
    ocrGuid_t event, latch;
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE));
    compareAfter(event, zero(), 0, 0);
    u64 params[62] = {(u64)event.guid, (u64)latch.guid};
    for (unsigned at = 2; at < 62; at++) {
        params[at] = (u64)zero().guid;
    }
    start(straggler, 1, 62, params, 0, NULL);
}

/* ---- leave: node 0 ends the program while an EDT of node 1 has a large block that one of node 2 waits for. ---- */

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t leaver(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block;
    char *bytes;
    u64 how = 0;
    MUST(ocrDbCreate(&block, (void **)&bytes, 1 << 20, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    start(leaf, nodes() - 1, 0, NULL, 1, &block);
    usleep(100000);
    start(ends, 0, 1, &how, 0, NULL);
    usleep(300000);
    memset(bytes, 1, 1 << 20);
    return NULL_GUID;
}

/* ---- waits: EDTs of two nodes wait on events of the other one. ---- */

static ocrGuid_t neverRuns(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t lateGiver(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event, edt = {.guid = (intptr_t)paramv[0]};
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrAddDependence(event, edt, 0, DB_MODE_NULL));
    return NULL_GUID;
}

static ocrGuid_t waiters(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t of = template(neverRuns, 0, 2), edt[2], event;
    ocrHint_t hint;
    for (int node = 0; node < 2; node++) {
        onNode(&hint, node);
        MUST(ocrEdtCreate(&edt[node], of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    }
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrAddDependence(event, edt[1], 0, DB_MODE_NULL));
    MUST(ocrAddDependence(NULL_GUID, edt[1], 1, DB_MODE_NULL));
    MUST(ocrAddDependence(NULL_GUID, edt[0], 1, DB_MODE_NULL));
    start(lateGiver, 1, 1, (u64[]){(u64)edt[0].guid}, 0, NULL);
    return NULL_GUID;
}

static void waits(void)
{
    ocrGuid_t of = template(waiters, 0, 1), finish, after;
    MUST(ocrEdtCreate(&finish, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
    compareAfter(after, zero(), 0, 1);
    MUST(ocrAddDependence(NULL_GUID, finish, 0, DB_MODE_NULL));
}

/* ---- codes: calls that cannot be right are refused before they are sent. ---- */

static ocrGuid_t survives(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    compareAfter(NULL_GUID, depv[0].guid, 0, 0);
    return NULL_GUID;
}

static ocrGuid_t confuses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t all[4];
    for (int at = 0; at < 4; at++) {
        all[at].guid = (intptr_t)paramv[at];
    }
    ocrGuid_t event = all[0], block = all[1], of = all[2], edt = all[3];
    for (int at = 0; at < 4; at++) {
        ocrAssert(at == 0 || ocrEventDestroy(all[at]) == OCR_EINVAL);
        ocrAssert(at == 1 || ocrDbDestroy(all[at]) == OCR_EINVAL);
        ocrAssert(at == 2 || ocrEdtTemplateDestroy(all[at]) == OCR_EINVAL);
        ocrAssert(at == 3 || ocrEdtDestroy(all[at]) == OCR_EINVAL);
    }
    ocrAssert(ocrDbRelease(block) == OCR_EACCES);
    ocrGuid_t open = UNINITIALIZED_GUID;
    for (u64 node = 0; node < 2; node++) {
        ocrHint_t hint;
        onNode(&hint, node);
        ocrAssert(ocrEdtCreate(NULL, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL) ==
                  OCR_EPERM);
        ocrAssert(ocrEdtCreate(NULL, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &open, EDT_PROP_NONE, &hint, NULL) ==
                  OCR_EPERM);
    }
    ocrHint_t hint;
    MUST(ocrHintInit(&hint, OCR_HINT_EDT_T));
    MUST(ocrGetHint(edt, &hint));
    MUST(ocrAddDependence(event, edt, 0, DB_MODE_RO));
    MUST(ocrEventSatisfy(event, block));
    MUST(ocrEdtTemplateDestroy(of));
    return NULL_GUID;
}

static ocrGuid_t confused(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event, block = zero(), of = template(survives, 0, 1), edt;
    ocrHint_t hint;
    onNode(&hint, 1);
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    u64 guids[4] = {(u64)event.guid, (u64)block.guid, (u64)of.guid, (u64)edt.guid};
    start(confuses, 0, 4, guids, 0, NULL);
    return NULL_GUID;
}

/* ---- pointer: a function by its address on another node. ---- */

static ocrGuid_t isFound(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    compareAfter(NULL_GUID, zero(), 0, 0);
    return NULL_GUID;
}

static ocrGuid_t points(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    start((ocrEdt_t)paramv[0], here(), 0, NULL, 0, NULL);
    return NULL_GUID;
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
    } else if (paramv[0] == 4) {
        ocrAbort(0);
    } else if (paramv[0] == 5) {
        exit(3);
    } else if (paramv[0] == 6) {
        exit(0);
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
    } else if (strcmp(what, "leave") == 0) {
        start(leaver, 1, 0, NULL, 0, NULL);
    } else if (strcmp(what, "shutdown") == 0) {
        endOn(1, 0);
    } else if (strcmp(what, "abort") == 0) {
        endOn(1, 1);
    } else if (strcmp(what, "abort-0") == 0) {
        endOn(1, 4);
    } else if (strcmp(what, "exit") == 0) {
        endOn(1, 5);
    } else if (strcmp(what, "exit-0") == 0) {
        endOn(1, 6);
    } else if (strcmp(what, "returned") == 0) {
        returned(node);
    } else if (strcmp(what, "passed") == 0) {
        passed();
    } else if (strcmp(what, "refused") == 0) {
        u64 block = (u64)zero().guid;
        start(misleader, 1, 1, &block, 0, NULL);
    } else if (strcmp(what, "kernel") == 0) {
        u64 block = (u64)filled().guid;
        start(launcher, 1, 1, &block, 0, NULL);
    } else if (strcmp(what, "gone") == 0) {
        gone();
    } else if (strcmp(what, "labels") == 0) {
        start(labeler, 1, 1, (u64[]){0}, 0, NULL);
    } else if (strcmp(what, "foreign-label") == 0) {
        start(labeler, 1, 1, (u64[]){1}, 0, NULL);
    } else if (strcmp(what, "given") == 0) {
        ocrGuid_t block = filled();
        start(giver, 1, 0, NULL, 1, &block);
    } else if (strcmp(what, "overtake") == 0) {
        overtake(times, node);
    } else if (strcmp(what, "late") == 0) {
        late();
    } else if (strcmp(what, "many") == 0) {
        many(times);
    } else if (strcmp(what, "ask") == 0) {
        ask();
    } else if (strcmp(what, "single") == 0) {
        single();
    } else if (strcmp(what, "chunk") == 0) {
        chunk(getArgv(depv[0].ptr, 2));
    } else if (strcmp(what, "chunk-to-read") == 0) {
        chunkToRead(getArgv(depv[0].ptr, 2));
    } else if (strcmp(what, "thread") == 0) {
        thread();
    } else if (strcmp(what, "straggle") == 0) {
        straggle();
    } else if (strcmp(what, "crash") == 0) {
        endOn(1, 2);
    } else if (strcmp(what, "waits") == 0) {
        waits();
    } else if (strcmp(what, "pointer") == 0) {
        start(points, 1, 1, (u64[]){(u64)isFound}, 0, NULL);
    } else if (strcmp(what, "codes") == 0) {
        start(confused, 1, 0, NULL, 0, NULL);
    } else if (strcmp(what, "hang") == 0) {
        endOn(1, 3);
    }
    return NULL_GUID;
}
