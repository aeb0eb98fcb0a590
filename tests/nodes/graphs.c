/*
 * A random graph of EDTs on all nodes, with blocks of several sizes. Its arguments are a number, which chooses the
 * graph, and how many EDTs it has. Each EDT knows by the same numbers what it must find in its blocks: what the EDTs
 * before it leave there, run one after the other. EDTs that nothing orders do not use a block of which one writes.
 * Two of the blocks are parts of one. Some that read a block get a copy of it by value.
 *
 * EDTs on all nodes in turn make the graph, each a part of it, with a table of the GUIDs so far. Then all begin.
 */
#include "nodes.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-labeling.h>

enum { BLOCKS = 6, FIRST_PART = 3, AFTER_PARTS = 5, USES = 3, BUILDERS = 8, MOST_OUT = 48 };

/* How an EDT is known to have run: by an event that it satisfies, or by its output event. */
enum kind { STICKY, IDEMPOTENT, ONCE, LATCH, COUNTED, CHANNEL, LABELED, OUTPUT, KINDS };

typedef struct {
    u32 block;
    ocrDbAccessMode_t mode;
    bool comes; /* with an event that an earlier EDT satisfies with it */
    bool copied; /* it is a copy of its own that comes so */
} use_t;

typedef struct {
    u64 node;
    u32 uses, slots, out; /* `out`: the edges whose event it satisfies */
    use_t use[USES];
    bool leaves; /* its children write, in its finish scope */
} task_t;

typedef struct {
    u32 from, to, slot;
    enum kind kind;
    bool carries; /* the block of that slot */
} edge_t;

typedef struct {
    u64 seed, tasks, edges;
    task_t *task;
    edge_t *edge;
} plan_t;

static u64 mix(u64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static u64 drawn(u64 seed, u64 of, u64 what)
{
    return mix(mix(mix(seed) ^ of) ^ what);
}

static bool writes(ocrDbAccessMode_t mode)
{
    return mode == DB_MODE_RW || mode == DB_MODE_EW;
}

static u64 wordsOf(u32 block)
{
    static const u64 words[BLOCKS] = {1, 2, 100, 1000, 6000, 50000};
    return words[block];
}

/* Adds an edge, unless there is none from so many: then that EDT is not used so by others. */
static void join(plan_t *plan, u32 from, u32 to, u32 at)
{
    task_t *task = &plan->task[to];
    u64 chance = drawn(plan->seed, plan->edges, 1000);
    edge_t edge = {from, to, task->slots, (enum kind)(chance % KINDS), false};
    if (plan->task[from].leaves || plan->task[from].out == MOST_OUT) {
        edge.kind = OUTPUT;
    }
    bool canCarry = edge.kind != OUTPUT && edge.kind != LATCH && !task->use[at].comes;
    for (u32 i = 0; i < plan->task[from].uses; i++) {
        /* A copy is not passed on. */
        canCarry &= plan->task[from].use[i].block != task->use[at].block || !plan->task[from].use[i].copied;
    }
    if (canCarry && chance >> 32 & 1) {
        edge.carries = task->use[at].comes = true;
        task->use[at].copied = !writes(task->use[at].mode) && chance >> 33 & 1;
        edge.slot = 1 + at;
    } else {
        task->slots++;
    }
    plan->task[from].out += edge.kind != OUTPUT;
    plan->edge = realloc(plan->edge, (plan->edges + 1) * sizeof edge);
    ocrAssert(plan->edge != NULL);
    plan->edge[plan->edges++] = edge;
}

static plan_t planOf(u64 seed, u64 tasks)
{
    static const ocrDbAccessMode_t modes[] = {DB_MODE_RW, DB_MODE_EW, DB_MODE_RO, DB_MODE_CONST, DB_MODE_RO};
    plan_t plan = {seed, tasks, 0, calloc(tasks, sizeof(task_t)), NULL};
    /* Of each block: who has written it last, and who has read it since. */
    s64 writer[BLOCKS];
    u32 *readers[BLOCKS], count[BLOCKS] = {0};
    for (u32 block = 0; block < BLOCKS; block++) {
        writer[block] = -1;
        readers[block] = malloc(tasks * sizeof(u32));
    }
    for (u32 at = 0; at < tasks; at++) {
        task_t *task = &plan.task[at];
        task->node = drawn(seed, at, 0) % nodes();
        task->uses = 1 + drawn(seed, at, 1) % USES;
        task->slots = 1 + task->uses;
        task->leaves = drawn(seed, at, 2) % 8 == 0;
        u32 first = drawn(seed, at, 3) % BLOCKS;
        for (u32 i = 0; i < task->uses; i++) {
            use_t *use = &task->use[i];
            *use = (use_t){(first + i) % BLOCKS, modes[drawn(seed, at, 4 + i) % 5], false, false};
            u32 block = use->block;
            if (!writes(use->mode)) {
                if (writer[block] >= 0) {
                    join(&plan, (u32)writer[block], at, i);
                }
                readers[block][count[block]++] = at;
                continue;
            }
            for (u32 reader = 0; reader < count[block]; reader++) {
                join(&plan, readers[block][reader], at, i);
            }
            if (count[block] == 0 && writer[block] >= 0) {
                join(&plan, (u32)writer[block], at, i);
            }
            writer[block] = at;
            count[block] = 0;
        }
    }
    for (u32 block = 0; block < BLOCKS; block++) {
        free(readers[block]);
    }
    return plan;
}

static void forget(plan_t *plan)
{
    free(plan->task);
    free(plan->edge);
}

/* What an EDT leaves in the block of a use that it writes, where it has found these in its blocks. */
static u64 written(const task_t *task, u64 at, const u64 *found, u32 use)
{
    u64 sum = at * 31 + use;
    for (u32 i = 0; i < task->uses; i++) {
        sum = mix(sum ^ found[i]);
    }
    return sum;
}

/* What is in the blocks before an EDT. */
static void before(const plan_t *plan, u64 until, u64 values[BLOCKS])
{
    for (u32 block = 0; block < BLOCKS; block++) {
        values[block] = mix(plan->seed ^ block);
    }
    for (u64 at = 0; at < until; at++) {
        const task_t *task = &plan->task[at];
        u64 found[USES];
        for (u32 i = 0; i < task->uses; i++) {
            found[i] = values[task->use[i].block];
        }
        for (u32 i = 0; i < task->uses; i++) {
            if (writes(task->use[i].mode)) {
                values[task->use[i].block] = written(task, at, found, i);
            }
        }
    }
}

static void put(u64 *words, u32 block, u64 value)
{
    words[0] = words[wordsOf(block) - 1] = value;
}

/* ---- the EDTs of the graph ---- */

static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    put(depv[0].ptr, (u32)paramv[0], paramv[1]);
    return NULL_GUID;
}

static void leaveTo(u64 node, ocrGuid_t block, u32 number, u64 value)
{
    ocrGuid_t edt, of = template(child, 2, 1);
    u64 params[2] = {number, value};
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(block, edt, 0, value & 1 ? DB_MODE_RW : DB_MODE_EW));
    MUST(ocrEdtTemplateDestroy(of));
}

/* The event of an edge: on its label the one who comes first creates it. */
static ocrGuid_t labeled(ocrGuid_t range, u64 at)
{
    ocrGuid_t event;
    MUST(ocrGuidFromIndex(&event, range, at));
    u8 status = ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
    ocrAssert(status == 0 || status == OCR_EGUIDEXISTS);
    return event;
}

enum { SEED, TASKS, AT, RANGE, EVENTS };

/* Satisfies the events of the edges from an EDT: those that carry a copy of a block that it holds, or the others. */
static void satisfies(const plan_t *plan, const u64 *paramv, const ocrEdtDep_t depv[], bool copies)
{
    const u64 at = paramv[AT];
    const task_t *task = &plan->task[at];
    u32 out = EVENTS;
    for (u64 e = 0; e < plan->edges; e++) {
        const edge_t *edge = &plan->edge[e];
        if (edge->from != at || edge->kind == OUTPUT) {
            continue;
        }
        ocrGuid_t event = {.guid = (intptr_t)paramv[out++]}, data = NULL_GUID;
        const use_t *use = edge->carries ? &plan->task[edge->to].use[edge->slot - 1] : NULL;
        if (copies != (use != NULL && use->copied)) {
            continue;
        }
        if (edge->kind == LABELED) {
            event = labeled((ocrGuid_t){.guid = (intptr_t)paramv[RANGE]}, e);
        }
        for (u32 i = 0; i < task->uses && use != NULL; i++) {
            if (task->use[i].block == use->block) {
                data = depv[1 + i].guid;
            }
        }
        ocrAssert(use == NULL || !ocrGuidIsNull(data));
        if (copies) {
            MUST(ocrAddDependenceByValue(data, event, 0, use->mode));
        } else {
            MUST(ocrEventSatisfySlot(event, data, edge->kind == LATCH ? OCR_EVENT_LATCH_DECR_SLOT : 0));
        }
    }
}

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    plan_t plan = planOf(paramv[SEED], paramv[TASKS]);
    const u64 at = paramv[AT];
    const task_t *task = &plan.task[at];
    u64 values[BLOCKS], found[USES];
    before(&plan, at, values);
    ocrAssert(here() == task->node && depc == task->slots && paramc == EVENTS + task->out);
    for (u32 i = 0; i < task->uses; i++) {
        const u32 block = task->use[i].block;
        const u64 *words = depv[1 + i].ptr;
        found[i] = values[block];
        ocrAssert(words[0] == found[i] && words[wordsOf(block) - 1] == found[i]);
    }
    for (u32 i = 0; i < task->uses; i++) {
        if (writes(task->use[i].mode)) {
            const u64 value = written(task, at, found, i);
            if (task->leaves) {
                leaveTo(value % nodes(), depv[1 + i].guid, task->use[i].block, value);
            } else {
                put(depv[1 + i].ptr, task->use[i].block, value);
            }
        }
    }
    satisfies(&plan, paramv, depv, true);
    for (u32 i = 0; i < task->uses && (task->out > 0 || at % 2 == 0); i++) {
        MUST(ocrDbRelease(depv[1 + i].guid));
    }
    satisfies(&plan, paramv, depv, false);
    forget(&plan);
    return NULL_GUID;
}

/* ---- making it ---- */

/* What the EDTs that make the graph know. Behind it are the events of the edges, and those that EDTs have as output. */
typedef struct {
    ocrGuid_t of, go, range, block[BLOCKS], event[];
} table_t;

static ocrGuid_t eventOf(enum kind kind)
{
    static const ocrEventTypes_t types[] = {OCR_EVENT_STICKY_T, OCR_EVENT_IDEM_T,    OCR_EVENT_ONCE_T,
                                            OCR_EVENT_LATCH_T,  OCR_EVENT_COUNTED_T, OCR_EVENT_CHANNEL_T};
    ocrEventParams_t params;
    memset(&params, 0, sizeof params);
    if (kind == LATCH) {
        params.EVENT_LATCH.counter = 1;
    } else if (kind == COUNTED) {
        params.EVENT_COUNTED.nbDeps = 1;
    } else if (kind == CHANNEL) {
        params.EVENT_CHANNEL.maxGen = params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
    }
    ocrGuid_t event = NULL_GUID;
    if (kind < LABELED) {
        MUST(ocrEventCreateParams(&event, types[kind], EVT_PROP_TAKES_ARG, &params));
    }
    return event;
}

static void makeTask(const plan_t *plan, table_t *table, u32 at)
{
    const task_t *task = &plan->task[at];
    u64 params[EVENTS + MOST_OUT] = {plan->seed, plan->tasks, at, (u64)table->range.guid};
    u32 out = EVENTS;
    for (u64 e = 0; e < plan->edges; e++) {
        if (plan->edge[e].from == at && plan->edge[e].kind != OUTPUT) {
            table->event[e] = eventOf(plan->edge[e].kind);
            params[out++] = (u64)table->event[e].guid;
        }
    }
    ocrGuid_t edt, *output = &table->event[plan->edges + at];
    ocrHint_t hint;
    onNode(&hint, task->node);
    MUST(ocrEdtCreate(&edt, table->of, out, params, task->slots, NULL,
                      task->leaves ? EDT_PROP_FINISH : EDT_PROP_NONE, &hint, output));
    MUST(ocrAddDependence(table->go, edt, 0, DB_MODE_NULL));
    for (u32 i = 0; i < task->uses; i++) {
        if (!task->use[i].comes) {
            MUST(ocrAddDependence(table->block[task->use[i].block], edt, 1 + i, task->use[i].mode));
        }
    }
    for (u64 e = 0; e < plan->edges; e++) {
        const edge_t *edge = &plan->edge[e];
        if (edge->to == at) {
            ocrGuid_t from = edge->kind == OUTPUT    ? table->event[plan->edges + edge->from]
                             : edge->kind == LABELED ? labeled(table->range, e)
                                                     : table->event[e];
            ocrDbAccessMode_t mode = edge->carries ? task->use[edge->slot - 1].mode : DB_MODE_NULL;
            MUST(ocrAddDependence(from, edt, edge->slot, mode));
        }
    }
}

/* Makes a part of the graph, and has the next one made; the last has all EDTs begin. */
static ocrGuid_t builds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    plan_t plan = planOf(paramv[SEED], paramv[TASKS]);
    table_t *table = depv[0].ptr;
    const u64 part = paramv[AT];
    for (u64 at = part * plan.tasks / BUILDERS; at < (part + 1) * plan.tasks / BUILDERS; at++) {
        makeTask(&plan, table, (u32)at);
    }
    forget(&plan);
    if (part + 1 < BUILDERS) {
        u64 params[3] = {paramv[SEED], paramv[TASKS], part + 1};
        start(builds, part + 1, 3, params, 1, &depv[0].guid);
    } else {
        MUST(ocrEventSatisfy(table->go, NULL_GUID));
    }
    return NULL_GUID;
}

static ocrGuid_t compares(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    plan_t plan = planOf(paramv[SEED], paramv[TASKS]);
    u64 values[BLOCKS];
    before(&plan, plan.tasks, values);
    for (u32 block = 0; block < BLOCKS; block++) {
        const u64 *words = depv[1 + block].ptr;
        ocrAssert(words[0] == values[block] && words[wordsOf(block) - 1] == values[block]);
        MUST(ocrDbDestroy(depv[1 + block].guid));
    }
    printf("right: %lu EDTs, %lu edges\n", (unsigned long)plan.tasks, (unsigned long)plan.edges);
    fflush(stdout);
    forget(&plan);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    u64 params[3] = {(u64)atoll(getArgv(depv[0].ptr, 1)), (u64)atoll(getArgv(depv[0].ptr, 2)), 0};
    plan_t plan = planOf(params[SEED], params[TASKS]);
    ocrGuid_t block, first, after, last;
    table_t *table;
    MUST(ocrDbCreate(&block, (void **)&table, sizeof *table + (plan.edges + plan.tasks) * sizeof(ocrGuid_t),
                     DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    table->of = template(runs, EDT_PARAM_UNK, EDT_PARAM_UNK);
    MUST(ocrEventCreate(&table->go, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrGuidRangeCreate(&table->range, plan.edges + 1, GUID_USER_EVENT_STICKY));
    MUST(ocrEdtCreate(&last, template(compares, 2, 1 + BLOCKS), EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL,
                      EDT_PROP_NONE, NULL_HINT, NULL));
    ocrGuid_t whole;
    u64 *all, *words;
    ocrDbPart_t parts[AFTER_PARTS - FIRST_PART];
    const u64 first_words = wordsOf(FIRST_PART);
    MUST(ocrDbCreate(&whole, (void **)&all, (first_words + wordsOf(FIRST_PART + 1)) * sizeof *all, DB_PROP_NONE,
                     NULL_HINT, NO_ALLOC));
    for (u32 number = 0; number < BLOCKS; number++) {
        const u64 size = wordsOf(number) * sizeof *words;
        if (number >= FIRST_PART && number < AFTER_PARTS) {
            words = all + (number == FIRST_PART ? 0 : first_words);
            parts[number - FIRST_PART] = (ocrDbPart_t){.offset = (u64)(words - all) * sizeof *words, .size = size};
        } else {
            MUST(ocrDbCreate(&table->block[number], (void **)&words, size, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        }
        put(words, number, mix(params[SEED] ^ number));
    }
    MUST(ocrDbPartition(whole, AFTER_PARTS - FIRST_PART, parts, 0));
    MUST(ocrDbDestroy(whole));
    for (u32 number = 0; number < BLOCKS; number++) {
        if (number >= FIRST_PART && number < AFTER_PARTS) {
            table->block[number] = parts[number - FIRST_PART].guid;
        } else {
            MUST(ocrDbRelease(table->block[number]));
        }
        MUST(ocrAddDependence(table->block[number], last, 1 + number, DB_MODE_CONST));
    }
    MUST(ocrDbRelease(block));
    MUST(ocrEdtCreate(&first, template(builds, 3, 1), EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH,
                      NULL_HINT, &after));
    MUST(ocrAddDependence(after, last, 0, DB_MODE_NULL));
    MUST(ocrAddDependence(block, first, 0, DB_MODE_RW));
    forget(&plan);
    return NULL_GUID;
}
