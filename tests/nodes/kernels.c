/* Templates with kernels, whose EDTs run on any node. The first argument says what is done. Functions and kernels add
   their parameter to the first number of a block. A kernel also counts itself in the second number, and its work-items
   in the third. */
#include "nodes.h"
#include <extensions/ocr-hints.h>
#include <extensions/ocr-opencl.h>
#include <extensions/ocr-variants.h>
#include <unistd.h>

#define KERNEL                                                                                                         \
    "__kernel void plus(ulong by, __global ulong *sum) {"                                                              \
    "  if (get_global_id(0) == get_global_offset(0)) { sum[0] += by; sum[1] += 1; sum[2] += get_global_size(0); }"     \
    "}"

static ocrGuid_t plus(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ((u64 *)depv[0].ptr)[0] += paramv[0];
    return NULL_GUID;
}

static ocrGuid_t plusTenfold(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    ((u64 *)depv[0].ptr)[0] += 10 * paramv[0];
    return NULL_GUID;
}

/* As many work-items as the parameter says, so that wrong parameters show. */
static void items(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range)
{
    (void)paramc, (void)depc;
    ocrAssert(depSizes[0] == 3 * sizeof(u64));
    range->workDim = 1;
    range->globalSize[0] = paramv[0];
}

static void addKernel(ocrGuid_t of, const char *source, const char *options)
{
    MUST(ocrEdtTemplateAddKernel(of, source, options, "plus", items, OCR_NO_RESULT));
}

static ocrGuid_t sums(void)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, 3 * sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(start, 0, 3 * sizeof *start);
    MUST(ocrDbRelease(block));
    return block;
}

/* Creates an EDT of a template that adds a number to a block, on a node or, with -1, wherever. */
static ocrGuid_t add(ocrGuid_t of, u64 by, ocrGuid_t block, s64 node, ocrGuid_t after)
{
    ocrGuid_t edt, output;
    ocrHint_t hint;
    if (node >= 0) {
        onNode(&hint, (u64)node);
    }
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &by, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, node >= 0 ? &hint : NULL_HINT,
                      &output));
    ocrGuid_t sticky;
    MUST(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    MUST(ocrAddDependence(output, sticky, 0, DB_MODE_NULL));
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RW));
    MUST(ocrAddDependence(after, edt, 1, DB_MODE_NULL));
    return sticky;
}

/* The same by ocrOpenclTaskCreate, with so many work-items. */
static ocrGuid_t task(ocrGuid_t of, u64 by, ocrGuid_t block, s64 node, size_t count, ocrGuid_t after)
{
    ocrGuid_t edt, output, sticky, affinity = NULL_GUID;
    if (node >= 0) {
        MUST(ocrAffinityGetAt(AFFINITY_PD, (u64)node % nodes(), &affinity));
    }
    const size_t offset = 5;
    MUST(ocrOpenclTaskCreate(&edt, of, 1, &offset, &count, NULL, EDT_PARAM_DEF, &by, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                             affinity, &output));
    MUST(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    MUST(ocrAddDependence(output, sticky, 0, DB_MODE_NULL));
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RW));
    MUST(ocrAddDependence(after, edt, 1, DB_MODE_NULL));
    return sticky;
}

static ocrGuid_t tell(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const u64 *sum = depv[0].ptr;
    printf("sum %lu, kernels %lu, items %lu\n", (unsigned long)sum[0], (unsigned long)sum[1], (unsigned long)sum[2]);
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static void tellAfter(ocrGuid_t event, ocrGuid_t block)
{
    ocrGuid_t edt, of = template(tell, 0, 2);
    ocrHint_t hint;
    onNode(&hint, 0);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RO));
    MUST(ocrAddDependence(event, edt, 1, DB_MODE_NULL));
}

/* ---- What an EDT on some node does with a template of another one: it makes EDTs of it that run on all nodes. ---- */

static ocrGuid_t user(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t of = {.guid = (intptr_t)paramv[0]}, block = {.guid = (intptr_t)paramv[1]}, last = NULL_GUID;
    if (paramv[2] != 0) {
        addKernel(of, KERNEL, NULL);
    }
    for (u64 node = 0; node < nodes(); node++) {
        last = add(of, 2, block, (s64)node, last);
    }
    return last;
}

/* Has a node use a template: the event of the last EDT. */
static ocrGuid_t use(ocrGuid_t of, ocrGuid_t block, u64 node, bool adds, ocrGuid_t after)
{
    ocrGuid_t by = template(user, 3, 1), edt, output, sticky;
    u64 params[] = {(u64)of.guid, (u64)block.guid, adds};
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, by, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, &output));
    MUST(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    MUST(ocrAddDependence(output, sticky, 0, DB_MODE_NULL));
    MUST(ocrAddDependence(after, edt, 0, DB_MODE_NULL));
    return sticky;
}

/* ---- late: a template changes after nodes have made copies of it. ---- */

static void useAll(ocrGuid_t of, ocrGuid_t block, ocrEdt_t then)
{
    ocrGuid_t last = NULL_GUID, edt;
    u64 params[] = {(u64)of.guid, (u64)block.guid};
    for (u64 node = 0; node < nodes(); node++) {
        last = use(of, block, node, false, last);
    }
    MUST(ocrEdtCreate(&edt, template(then, 2, 1), EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    MUST(ocrAddDependence(last, edt, 0, DB_MODE_NULL));
}

static ocrGuid_t getsKernel(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t of = {.guid = (intptr_t)paramv[0]}, block = {.guid = (intptr_t)paramv[1]}, begin;
    MUST(ocrEventCreate(&begin, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    /* An EDT has what its template had when it was created. */
    ocrGuid_t last = add(of, 1, block, 1, begin);
    addKernel(of, KERNEL, NULL);
    last = add(of, 3, block, 1, last);
    last = add(of, 4, block, 2, last);
    tellAfter(last, block);
    MUST(ocrEdtTemplateDestroy(of));
    MUST(ocrEventSatisfy(begin, NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t getsFunction(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t of = {.guid = (intptr_t)paramv[0]}, block = {.guid = (intptr_t)paramv[1]};
    MUST(ocrEdtTemplateAddFunction(of, plusTenfold, "plusTenfold"));
    useAll(of, block, getsKernel);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    void *argv = depv[0].ptr;
    const char *what = getArgv(argv, 1);
    ocrGuid_t block = sums(), last = NULL_GUID, begin, alone;
    const u64 count = nodes();
    MUST(ocrEventCreate(&begin, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    ocrGuid_t of = template(plus, 1, 2);

    if (strcmp(what, "variants") == 0) {
        /* Eight EDTs on each node, of one template that is gone before any of them runs. */
        addKernel(of, KERNEL, NULL);
        last = begin;
        for (u64 turn = 0; turn < 8 * count; turn++) {
            last = add(of, turn + 1, block, (s64)turn, last);
        }
        MUST(ocrEdtTemplateDestroy(of));
    } else if (strcmp(what, "anywhere") == 0) {
        /* No hint: what OCR_PLACE says. */
        addKernel(of, KERNEL, NULL);
        last = begin;
        for (u64 turn = 0; turn < 8; turn++) {
            last = add(of, turn + 1, block, -1, last);
        }
    } else if (strcmp(what, "third") == 0) {
        /* Nodes make EDTs for all nodes, of a template of node 0. */
        addKernel(of, KERNEL, NULL);
        last = begin;
        for (u64 node = 0; node < count; node++) {
            last = use(of, block, node, false, last);
        }
    } else if (strcmp(what, "added") == 0) {
        /* The last node gives a template of node 0 its kernel. */
        last = use(of, block, count - 1, true, begin);
        last = use(of, block, 0, false, last);
    } else if (strcmp(what, "large") == 0) {
        /* A text of many messages. */
        const size_t size = 300000;
        char *source = malloc(size + sizeof KERNEL);
        memset(source, ' ', size);
        strcpy(source + size, KERNEL);
        addKernel(of, source, NULL);
        free(source);
        last = add(of, 7, block, 1, begin);
    } else if (strcmp(what, "late") == 0) {
        useAll(of, block, getsFunction);
        return NULL_GUID;
    } else if (strcmp(what, "alone") == 0 || strcmp(what, "hinted") == 0) {
        /* Kernels alone, without and with a hint of affinity. */
        bool hinted = strcmp(what, "hinted") == 0;
        MUST(ocrOpenclTemplateCreate(&alone, KERNEL, NULL, "plus", 1, 2, "alone"));
        last = begin;
        for (u64 turn = 0; turn < 4; turn++) {
            last = task(alone, turn + 1, block, hinted ? (s64)turn : -1, 11, last);
        }
        MUST(ocrEdtTemplateDestroy(alone));
    } else if (strcmp(what, "broken") == 0) {
        /* A file that the kernel includes is there on node 0 alone. */
        const char *folder = getArgv(argv, 2);
        char path[4096], options[4096];
        snprintf(path, sizeof path, "%s/included.h", folder);
        snprintf(options, sizeof options, "-I%s", folder);
        FILE *file = fopen(path, "w");
        ocrAssert(file != NULL);
        fputs("\n", file);
        fclose(file);
        addKernel(of, "#include \"included.h\"\n" KERNEL, options);
        unlink(path);
        last = add(of, 5, block, 1, begin);
    }
    tellAfter(last, block);
    MUST(ocrEventSatisfy(begin, NULL_GUID));
    return NULL_GUID;
}
