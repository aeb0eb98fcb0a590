/* taskbench events|blocks|counters PATTERN [WIDTH [MOST [LEAST]]]: the graphs of grid.h as EDTs.
 *
 * events    a task waits for the output events of those it depends on; the outputs are in an array
 * blocks    the same, and each task passes its output on in a data block of its own, which its last reader destroys
 * counters  the program itself counts what each task waits for, and whoever brings a count to 0 creates the EDT
 *
 * In the first two the graph is built by one EDT per worker: first the EDTs with their output events, then, when all
 * are there, the dependences. The tasks that depend on none wait for one event, and the graph runs when that is
 * satisfied. All of it is in the time. */
#include "bench.h"
#include "grid.h"

#include <extensions/ocr-runtime-itf.h>

#include <stdatomic.h>
#include <string.h>

enum { MOST_BUILDERS = 1024 };

static enum { EVENTS, BLOCKS, COUNTERS } way;
static double begin;
static u64 builders;
static ocrGuid_t taskTemplate, countedTemplate, createTemplate, connectTemplate, letGoTemplate, *edts, *outputs, start;
static _Atomic u32 *left; /* BLOCKS: readers of a task's block; COUNTERS: what a task waits for */

static ocrGuid_t task(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    if (way == EVENTS) {
        gridRun(paramv[0]);
        return NULL_GUID;
    }
    const GridOutput *inputs[GRID_MOST];
    const GridTasks *on = gridDependences(paramv[0]);
    for (u32 i = 0; i < on->count && i < depc; i++)
        inputs[i] = depv[i].ptr;
    const GridOutput output = gridRunOn(paramv[0], inputs);
    for (u32 i = 0; i < on->count; i++) {
        if (atomic_fetch_sub(&left[on->task[i]], 1) == 1)
            MUST(ocrDbDestroy(depv[i].guid));
    }
    const u32 dependents = gridDependents(paramv[0])->count;
    if (dependents == 0)
        return NULL_GUID;
    atomic_store(&left[paramv[0]], dependents);
    ocrGuid_t block;
    GridOutput *passed;
    MUST(ocrDbCreate(&block, (void **)&passed, sizeof *passed, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *passed = output;
    return block;
}

/* The tasks that builder `paramv[0]` builds, one after the other. */
static bool mine(u64 *paramv, u64 *at) {
    const u64 end = gridEnd() * (paramv[0] + 1) / builders;
    while (*at < end && !gridHas(*at))
        ++*at;
    return *at < end;
}

static ocrGuid_t create(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 at = gridEnd() * paramv[0] / builders; mine(paramv, &at); at++) {
        const u32 waits = gridDependences(at)->count;
        MUST(ocrEdtCreate(&edts[at], taskTemplate, EDT_PARAM_DEF, &at, waits > 0 ? waits : 1, NULL, EDT_PROP_NONE,
                          NULL_HINT, gridDependents(at)->count > 0 ? &outputs[at] : NULL));
    }
    return NULL_GUID;
}

static ocrGuid_t connect(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 at = gridEnd() * paramv[0] / builders; mine(paramv, &at); at++) {
        const GridTasks *on = gridDependences(at);
        for (u32 i = 0; i < on->count; i++)
            MUST(ocrAddDependence(outputs[on->task[i]], edts[at], i, DB_MODE_RO));
        if (on->count == 0)
            MUST(ocrAddDependence(start, edts[at], 0, DB_MODE_NULL));
    }
    return NULL_GUID;
}

static void createCounted(u64 at) {
    MUST(ocrEdtCreate(NULL, countedTemplate, EDT_PARAM_DEF, &at, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
}

static ocrGuid_t countedTask(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    gridRun(paramv[0]);
    const GridTasks *of = gridDependents(paramv[0]);
    for (u32 i = 0; i < of->count; i++) {
        if (atomic_fetch_sub(&left[of->task[i]], 1) == 1)
            createCounted(of->task[i]);
    }
    return NULL_GUID;
}

static void createRoots(void) {
    for (u64 at = 0; at < gridEnd(); at++)
        atomic_store_explicit(&left[at], gridDependences(at)->count, memory_order_relaxed);
    for (u64 at = 0; at < gridEnd(); at++) {
        if (gridHas(at) && gridDependences(at)->count == 0)
            createCounted(at);
    }
}

static ocrGuid_t letGo(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    MUST(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}

/* Phases are ordered by output events and not by finish scopes, since these would wait for the tasks. */
static ocrGuid_t build(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    ocrGuid_t creator[MOST_BUILDERS], created[MOST_BUILDERS], connected[MOST_BUILDERS];
    begin = now();
    if (way == COUNTERS) {
        createRoots();
        return NULL_GUID;
    }
    MUST(ocrEventCreate(&start, OCR_EVENT_ONCE_T, EVT_PROP_NONE));
    for (u64 i = 0; i < builders; i++)
        MUST(ocrEdtCreate(&creator[i], createTemplate, EDT_PARAM_DEF, &i, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          &created[i]));
    for (u64 i = 0; i < builders; i++)
        MUST(ocrEdtCreate(NULL, connectTemplate, EDT_PARAM_DEF, &i, (u32)builders, created, EDT_PROP_NONE, NULL_HINT,
                          &connected[i]));
    MUST(ocrEdtCreate(NULL, letGoTemplate, EDT_PARAM_DEF, NULL, (u32)builders, connected, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    for (u64 i = 0; i < builders; i++)
        MUST(ocrAddDependence(NULL_GUID, creator[i], 0, DB_MODE_NULL));
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    gridPoint(ended - begin);
    if (gridNext())
        runScope(build, end);
    else
        ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    char *arguments[8];
    const int count = (int)ocrGetArgc(depv[0].ptr) - 1;
    EXPECT(count >= 2 && count <= 8);
    for (int i = 0; i < count; i++)
        arguments[i] = ocrGetArgv(depv[0].ptr, (u64)i + 1);
    way = strcmp(arguments[0], "blocks") == 0 ? BLOCKS : strcmp(arguments[0], "counters") == 0 ? COUNTERS : EVENTS;
    EXPECT(way != EVENTS || strcmp(arguments[0], "events") == 0);
    gridBegin(count - 1, arguments + 1);
    EXPECT(gridNext());
    builders = ocrNbWorkers();
    EXPECT(builders <= MOST_BUILDERS);
    taskTemplate = template(task, 1, EDT_PARAM_UNK);
    countedTemplate = template(countedTask, 1, 0);
    createTemplate = template(create, 1, 1);
    connectTemplate = template(connect, 1, EDT_PARAM_UNK);
    letGoTemplate = template(letGo, 0, EDT_PARAM_UNK);
    edts = calloc(gridMost(), sizeof *edts);
    outputs = calloc(gridMost(), sizeof *outputs);
    left = calloc(gridMost(), sizeof *left);
    EXPECT(edts != NULL && outputs != NULL && left != NULL);
    runScope(build, end);
    return NULL_GUID;
}
