/* A finish EDT: its output event waits for the EDT and for all that it brought into being, children's children too.
 *
 * A tree of tasks grows below the finish EDT, and each leaf marks its own element of a data block. No task knows how
 * many others there are, and nothing is counted; still the report runs when the last leaf has ended.
 *
 * Prints: 4096 of 4096 leaves before the report */
#include <ocr.h>

#include <string.h>

#define BRANCHES 8u
#define LEAVES   4096u /* 8^4 */

typedef struct {
    u64 first, count; /* the leaves below this task */
    ocrGuid_t template, marks;
} Subtree;

#define SUBTREE_WORDS ((sizeof(Subtree) + sizeof(u64) - 1) / sizeof(u64))

static ocrGuid_t growEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    Subtree tree = *(Subtree *)paramv;
    if (tree.count == 1) {
        ((u8 *)depv[0].ptr)[tree.first] = 1;
        return NULL_GUID;
    }
    tree.count /= BRANCHES;
    for (u32 k = 0; k < BRANCHES; k++, tree.first += tree.count) {
        /* In mode RW (the default for dependences given here) all tasks can have the block at the same time. */
        ocrEdtCreate(NULL, tree.template, EDT_PARAM_DEF, (u64 *)&tree, EDT_PARAM_DEF, &tree.marks, EDT_PROP_NONE,
                     NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t reportEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u8 *marks = depv[0].ptr;
    u32 marked = 0;
    for (u32 i = 0; i < LEAVES; i++)
        marked += marks[i];
    ocrPrintf("%u of %u leaves before the report\n", marked, LEAVES);
    ocrEdtTemplateDestroy(((Subtree *)paramv)->template);
    ocrDbDestroy(depv[0].guid);
    if (marked == LEAVES)
        ocrShutdown();
    else
        ocrAbort(1);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    Subtree all = { .first = 0, .count = LEAVES };
    void *ptr;
    ocrDbCreate(&all.marks, &ptr, LEAVES, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    memset(ptr, 0, LEAVES);
    ocrDbRelease(all.marks);
    ocrEdtTemplateCreate(&all.template, growEdt, SUBTREE_WORDS, 1);

    ocrGuid_t reportTemplate, report, root, done;
    ocrEdtTemplateCreate(&reportTemplate, reportEdt, SUBTREE_WORDS, 2);
    ocrEdtCreate(&report, reportTemplate, EDT_PARAM_DEF, (u64 *)&all, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                 NULL);
    ocrEdtTemplateDestroy(reportTemplate);
    ocrEdtCreate(&root, all.template, EDT_PARAM_DEF, (u64 *)&all, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT,
                 &done);
    ocrAddDependence(all.marks, report, 0, DB_MODE_CONST);
    ocrAddDependence(done, report, 1, DB_MODE_NULL); /* before the finish EDT can run, that is: */
    ocrAddDependence(all.marks, root, 0, DB_MODE_RW);
    return NULL_GUID;
}
