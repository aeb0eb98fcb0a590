/*
 * Labels, ranges, maps and collective events of node 0, which EDTs of all nodes use. Its first argument says what it
 * does, the second how often. Each part computes something that it knows, and prints "right".
 */
#include "nodes.h"
#include <extensions/ocr-db-info.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-map-creator.h>
#include <extensions/ocr-reduction-event.h>

static ocrGuid_t at(ocrGuid_t range, u64 index)
{
    ocrGuid_t label;
    MUST(ocrGuidFromIndex(&label, range, index));
    return label;
}

static ocrGuid_t guid(u64 bits)
{
    return (ocrGuid_t){.guid = (intptr_t)bits};
}

/* Adds what it has in its parameter to a block. */
static ocrGuid_t adder(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr += paramv[0];
    return NULL_GUID;
}

static void add(ocrGuid_t counter, u64 what)
{
    start(adder, here(), 1, &what, 1, &counter);
}

/* Adds what is in the second block to the first. */
static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += *(const u64 *)depv[1].ptr;
    return NULL_GUID;
}

/* Has an EDT of a node read what comes by `source`, which may be a label on which nothing was created yet. */
static void readFrom(ocrGuid_t source, ocrGuid_t counter, u64 node)
{
    ocrGuid_t edt, of = template(reader, 0, 2);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(counter, edt, 0, DB_MODE_EW));
    MUST(ocrAddDependence(source, edt, 1, DB_MODE_RO));
    MUST(ocrEdtTemplateDestroy(of));
}

/* On each node an EDT `function` with the parameters range or map, counter, times, and a latch of as many as nodes. */
static ocrGuid_t everywhere(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 node = 0; node < nodes(); node++) {
        start((ocrEdt_t)(uintptr_t)paramv[4], nodes() - 1 - node, 4, paramv, 0, NULL);
    }
    return NULL_GUID;
}

/* Runs `function` on all nodes in a finish scope, and compares the counter then. */
static void all(ocrEdt_t function, ocrGuid_t range, ocrGuid_t counter, u64 times, u64 wanted)
{
    ocrGuid_t of = template(everywhere, 5, 1), latch, finish, after;
    ocrEventParams_t asMany;
    memset(&asMany, 0, sizeof asMany);
    asMany.EVENT_LATCH.counter = nodes();
    MUST(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &asMany));
    u64 params[5] = {(u64)range.guid, (u64)counter.guid, times, (u64)latch.guid, (u64)(uintptr_t)function};
    MUST(ocrEdtCreate(&finish, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &after));
    compareAfter(after, counter, wanted, 1);
    MUST(ocrAddDependence(NULL_GUID, finish, 0, DB_MODE_NULL));
    MUST(ocrEdtTemplateDestroy(of));
}

/* ---- events: all nodes create events on all labels; one wins each, satisfies it, and all see that. ---- */

static ocrGuid_t eventMaker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 index = 0; index < paramv[2]; index++) {
        ocrGuid_t label = at(guid(paramv[0]), index);
        readFrom(label, guid(paramv[1]), here() + index);
        const u8 status = ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_CHECK | EVT_PROP_TAKES_ARG);
        ocrAssert(status == 0 || status == OCR_EGUIDEXISTS);
        ocrGuidUserKind kind;
        MUST(ocrGetGuidKind(&kind, label));
        ocrAssert(kind == GUID_USER_EVENT_STICKY);
        if (status == 0) {
            u64 *one;
            ocrGuid_t block;
            MUST(ocrDbCreate(&block, (void **)&one, sizeof *one, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
            *one = 1;
            MUST(ocrDbRelease(block));
            MUST(ocrEventSatisfy(label, block));
        }
    }
    return NULL_GUID;
}

/* ---- blocks: two nodes create a block on each label; one wins, and writes it before others read it. ---- */

static ocrGuid_t blockMaker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 index = 0; index < paramv[2]; index++) {
        ocrGuid_t label = at(guid(paramv[0]), index);
        u64 *start = NULL, size = 0;
        readFrom(label, guid(paramv[1]), here() + index);
        const u8 status = ocrDbCreate(&label, (void **)&start, (index + 1) * sizeof *start, GUID_PROP_CHECK, NULL_HINT,
                                      NO_ALLOC);
        if (status == 0) {
            for (u64 word = 0; word <= index; word++) {
                start[word] = index + 1;
            }
            MUST(ocrDbRelease(label));
        } else {
            ocrAssert(status == OCR_EGUIDEXISTS);
        }
        MUST(ocrDbGetSize(label, &size));
        ocrAssert(size == (index + 1) * sizeof *start);
    }
    return NULL_GUID;
}

/* ---- edts: all nodes create an EDT on each label. It runs once, where the label is, when all have tried. ---- */

static ocrGuid_t onLabel(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrAssert(here() == 0);
    *(u64 *)depv[0].ptr += paramv[0];
    return NULL_GUID;
}

static ocrGuid_t edtMaker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t of = template(onLabel, 1, 2);
    for (u64 index = 0; index < paramv[2]; index++) {
        ocrGuid_t label = at(guid(paramv[0]), index), after;
        u64 what = index + 1;
        const u8 status = ocrEdtCreate(&label, of, EDT_PARAM_DEF, &what, EDT_PARAM_DEF, NULL, GUID_PROP_CHECK,
                                       NULL_HINT, &after);
        ocrAssert(status == 0 || status == OCR_EGUIDEXISTS);
        if (status == 0) {
            MUST(ocrAddDependence(guid(paramv[1]), label, 0, DB_MODE_EW));
            MUST(ocrAddDependence(guid(paramv[3]), label, 1, DB_MODE_NULL));
        }
    }
    MUST(ocrEventSatisfySlot(guid(paramv[3]), NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    MUST(ocrEdtTemplateDestroy(of));
    return NULL_GUID;
}

/* ---- wait: one label serves all nodes in turn, each of which waits until it is free. ---- */

static ocrGuid_t blocker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 time = 0; time < paramv[2]; time++) {
        ocrGuid_t label = at(guid(paramv[0]), 0);
        MUST(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK));
        add(guid(paramv[1]), 1);
        MUST(ocrEventDestroy(label));
    }
    return NULL_GUID;
}

/* ---- tuples: a map with a function of the program. ---- */

static ocrGuid_t placed(ocrGuid_t first, u64 distance, s64 *params, s64 *tuple)
{
    first.guid += (intptr_t)(distance * (u64)(tuple[0] * params[0] + tuple[1]));
    return first;
}

static ocrGuid_t mapUser(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t first, last, beyond;
    s64 low[2] = {0, 0}, high[2] = {6, 9}, over[2] = {7, 0};
    MUST(ocrGuidFromLabel(&first, guid(paramv[0]), low));
    MUST(ocrGuidFromLabel(&last, guid(paramv[0]), high));
    ocrAssert(ocrGuidFromLabel(&beyond, guid(paramv[0]), over) == OCR_EINVAL);
    ocrAssert(ocrGuidFromIndex(&beyond, guid(paramv[0]), 0) == OCR_EINVAL);
    add(guid(paramv[1]), (u64)(last.guid - first.guid));
    return NULL_GUID;
}

/* ---- creator: objects that a function of the program creates when they are first asked for. ---- */

static void create(ocrGuid_t local, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv)
{
    (void)paramc, (void)guidc;
    u64 *start;
    ocrAssert(here() == 0);
    add(guidv[0], paramv[0]);
    MUST(ocrDbCreate(&local, (void **)&start, sizeof *start, DB_PROP_MAPPED, NULL_HINT, NO_ALLOC));
    *start = index;
    MUST(ocrDbRelease(local));
}

static ocrGuid_t objectUser(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t object, none;
    for (u64 index = 0; index < paramv[2]; index++) {
        MUST(ocrMapGet(&object, guid(paramv[0]), index));
        readFrom(object, guid(paramv[1]), here());
    }
    ocrAssert(ocrMapGet(&none, guid(paramv[0]), paramv[2]) == OCR_EINVAL);
    return NULL_GUID;
}

/* ---- sums: a collective event to which each node contributes, by an EDT of its own. ---- */

static ocrGuid_t contributor(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    for (u64 index = 0; index < paramv[2]; index++) {
        ocrGuid_t label = at(guid(paramv[0]), index), edt, of = template(reader, 0, 2);
        ocrEventParams_t params;
        memset(&params, 0, sizeof params);
        params.EVENT_COLLECTIVE.maxGen = 1;
        params.EVENT_COLLECTIVE.nbContribs = params.EVENT_COLLECTIVE.nbContribsPd = (u32)nodes();
        params.EVENT_COLLECTIVE.nbDatum = 1;
        params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
        params.EVENT_COLLECTIVE.op = REDOP_U8_ADD;
        MUST(ocrEventCreateParams(&label, OCR_EVENT_COLLECTIVE_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG, &params));
        MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
        MUST(ocrAddDependence(guid(paramv[1]), edt, 0, DB_MODE_EW));
        MUST(ocrAddDependenceSlot(label, (u32)here(), edt, 1, DB_MODE_RO));
        u64 what = here() + 1;
        MUST(ocrEventCollectiveSatisfySlot(label, &what, (u32)here()));
        MUST(ocrEdtTemplateDestroy(of));
    }
    return NULL_GUID;
}

/* ---- again: a block on a label is read on another node and destroyed by an EDT that reads it, many times. ---- */

static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t destroyer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ocrAssert(*(const u64 *)depv[0].ptr == 1);
    MUST(ocrDbDestroy(depv[0].guid));
    start(again, 0, 3, paramv, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    if (paramv[2] == 0) {
        return NULL_GUID;
    }
    ocrGuid_t label = at(guid(paramv[0]), 0), readers = template(reader, 0, 2), destroyers = template(destroyer, 3, 2);
    ocrGuid_t reads, destroys, after, lasting;
    ocrHint_t hint;
    u64 *one, params[3] = {paramv[0], paramv[1], paramv[2] - 1};
    MUST(ocrDbCreate(&label, (void **)&one, sizeof *one, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    *one = 1;
    MUST(ocrDbRelease(label));
    onNode(&hint, 1);
    MUST(ocrEdtCreate(&reads, readers, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, &after));
    MUST(ocrEventCreate(&lasting, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrAddDependence(after, lasting, 0, DB_MODE_NULL));
    onNode(&hint, 0);
    MUST(ocrEdtCreate(&destroys, destroyers, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(label, destroys, 0, DB_MODE_RO));
    MUST(ocrAddDependence(lasting, destroys, 1, DB_MODE_NULL));
    MUST(ocrAddDependence(guid(paramv[1]), reads, 0, DB_MODE_EW));
    MUST(ocrAddDependence(label, reads, 1, DB_MODE_RO));
    MUST(ocrEdtTemplateDestroy(readers));
    MUST(ocrEdtTemplateDestroy(destroyers));
    return NULL_GUID;
}

static ocrGuid_t againOnOne(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    if (here() == 0) {
        again(paramc, paramv, depc, depv);
    }
    return NULL_GUID;
}

/* ---- copy: an EDT copies a block of another node to one of a third node. ---- */

static ocrGuid_t copier(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t completed;
    MUST(ocrDbCopy(guid(paramv[1]), 0, guid(paramv[0]), 8, 8, 0, &completed));
    compareAfter(completed, guid(paramv[1]), 4711, 0);
    return NULL_GUID;
}

static ocrGuid_t copied(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    u64 params[2] = {paramv[0], (u64)zero().guid};
    start(copier, 1, 2, params, 0, NULL);
    return NULL_GUID;
}

/* ---- progress: an EDT waits in a call for an event that an EDT of another node makes on a label. ---- */

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label, block;
    u64 *start;
    MUST(ocrGuidFromIndex(&label, (ocrGuid_t){.guid = (intptr_t)paramv[0]}, paramv[1]));
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *start = paramv[1];
    MUST(ocrDbRelease(block));
    MUST(ocrEventCreate(&label, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
    MUST(ocrEventSatisfy(label, block));
    return NULL_GUID;
}

static ocrGuid_t awaits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    const ocrGuid_t range = {.guid = (intptr_t)paramv[0]}, once = {.guid = (intptr_t)paramv[2]},
                    last = {.guid = (intptr_t)paramv[3]};
    /* The block is gone. */
    ocrAssert(!ocrGuidIsNull(ocrWait(last)));
    u8 status = ocrLegacyBlockProgress(once, NULL, NULL, NULL, LEGACY_PROP_NONE);
    ocrAssert(status == OCR_EINVAL);
    const ocrGuid_t channel = {.guid = (intptr_t)paramv[4]};
    ocrAssert(!ocrLegacyIsChannelReady(channel) && !ocrLegacyIsChannelReady(last));
    MUST(ocrEventSatisfy(channel, NULL_GUID));
    ocrAssert(ocrLegacyIsChannelReady(channel));
    status = ocrLegacyBlockProgress(channel, NULL, NULL, NULL, LEGACY_PROP_NONE);
    ocrAssert(status == OCR_EINVAL);
    for (u64 at = 0; at < paramv[1]; at++) {
        ocrGuid_t label, block;
        void *content;
        u64 size;
        MUST(ocrGuidFromIndex(&label, range, at));
        status = ocrLegacyBlockProgress(label, &block, &content, &size, LEGACY_PROP_CHECK);
        ocrAssert(status == OCR_EINVAL);
        u64 params[2] = {paramv[0], at};
        start(satisfies, at, 2, params, 0, NULL);
        MUST(ocrLegacyBlockProgress(label, &block, &content, &size, LEGACY_PROP_WAIT_FOR_CREATE));
        ocrAssert(size == sizeof(u64) && *(u64 *)content == at);
        *(u64 *)depv[0].ptr += 1;
        ocrAssert(ocrGuidIsEq(ocrWait(label), block));
        MUST(ocrLegacyBlockProgress(label, &block, &content, &size, LEGACY_PROP_CHECK));
        ocrAssert(*(u64 *)content == at);
        if (at % 3 == 0) {
            MUST(ocrDbRelease(block));
        }
        if (at % 3 < 2) {
            MUST(ocrDbDestroy(block));
        }
        MUST(ocrEventDestroy(label));
    }
    return NULL_GUID;
}

static void progress(u64 times)
{
    ocrGuid_t range, once, block = zero(), edt, after;
    ocrHint_t hint;
    MUST(ocrGuidRangeCreate(&range, times, GUID_USER_EVENT_STICKY));
    MUST(ocrEventCreate(&once, OCR_EVENT_ONCE_T, EVT_PROP_NONE));
    ocrGuid_t gone = zero(), last;
    MUST(ocrEventCreate(&last, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    MUST(ocrEventSatisfy(last, gone));
    MUST(ocrDbDestroy(gone));
    ocrGuid_t channel;
    ocrEventParams_t one = {.EVENT_CHANNEL = {.maxGen = 1, .nbSat = 1, .nbDeps = 1}};
    MUST(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &one));
    u64 params[5] = {(u64)range.guid, times, (u64)once.guid, (u64)last.guid, (u64)channel.guid};
    onNode(&hint, 1);
    MUST(ocrEdtCreate(&edt, template(awaits, 5, 1), EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                      &after));
    compareAfter(after, block, times, 0);
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RW));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const char *what = getArgv(depv[0].ptr, 1);
    const u64 times = getArgc(depv[0].ptr) > 2 ? (u64)atoll(getArgv(depv[0].ptr, 2)) : 1;
    const u64 count = nodes(), sum = times * (times + 1) / 2;
    ocrGuid_t range, counter = zero();
    if (strcmp(what, "events") == 0) {
        MUST(ocrGuidRangeCreate(&range, times, GUID_USER_EVENT_STICKY));
        all(eventMaker, range, counter, times, times * count);
    } else if (strcmp(what, "blocks") == 0) {
        MUST(ocrGuidRangeCreate(&range, times, GUID_USER_DB));
        all(blockMaker, range, counter, times, sum * count);
    } else if (strcmp(what, "edts") == 0) {
        MUST(ocrGuidRangeCreate(&range, times, GUID_USER_EDT));
        all(edtMaker, range, counter, times, sum);
    } else if (strcmp(what, "wait") == 0) {
        MUST(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY));
        all(blocker, range, counter, times, times * count);
    } else if (strcmp(what, "tuples") == 0) {
        s64 params[1] = {10};
        MUST(ocrGuidMapCreate(&range, 1, placed, params, 70, GUID_USER_EVENT_STICKY));
        all(mapUser, range, counter, times, 69 * count);
    } else if (strcmp(what, "creator") == 0) {
        u64 param = 1000;
        MUST(ocrMapCreate(&range, times, create, 1, &param, 1, &counter));
        all(objectUser, range, counter, times, (sum - times) * count + 1000 * times);
    } else if (strcmp(what, "sums") == 0) {
        MUST(ocrGuidRangeCreate(&range, times, GUID_USER_EVENT_COLLECTIVE));
        all(contributor, range, counter, times, times * count * (count * (count + 1) / 2));
    } else if (strcmp(what, "progress") == 0) {
        progress(times);
    } else if (strcmp(what, "again") == 0) {
        MUST(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
        all(againOnOne, range, counter, times, times);
    } else if (strcmp(what, "copy") == 0) {
        u64 *words;
        ocrGuid_t source;
        MUST(ocrDbCreate(&source, (void **)&words, 2 * sizeof *words, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        words[0] = 7;
        words[1] = 4711;
        MUST(ocrDbRelease(source));
        u64 param = (u64)source.guid;
        start(copied, 2, 1, &param, 0, NULL);
    }
    return NULL_GUID;
}
