/* shared [DEPTH]: a block that every EDT of a tree uses.
 *
 * The call tree of a binary recursion, 2^DEPTH - 1 EDTs in one finish scope. Each has one pre-slot, and gives what it
 * got there to the two that it creates. Nanoseconds per EDT, by what that is:
 *
 *   none     nothing: a control dependence
 *   ro, const, rw    one block for all, in that mode */
#include "bench.h"

static const struct { const char *key; ocrDbAccessMode_t mode; } kinds[] = {
    { "none", DB_MODE_NULL }, { "ro", DB_MODE_RO }, { "const", DB_MODE_CONST }, { "rw", DB_MODE_RW },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static u64 depth, kind;
static double begin;
static ocrGuid_t block, nodeTemplate, rootTemplate, endTemplate;

static void create(u64 levels, ocrGuid_t shared) {
    ocrGuid_t edt;
    MUST(ocrEdtCreate(&edt, nodeTemplate, EDT_PARAM_DEF, &levels, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(shared, edt, 0, kinds[kind % KINDS].mode));
}

static ocrGuid_t node(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] > 1) {
        create(paramv[0] - 1, depv[0].guid);
        create(paramv[0] - 1, depv[0].guid);
    }
    return NULL_GUID;
}

static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    begin = now();
    create(depth, kinds[kind % KINDS].mode == DB_MODE_NULL ? NULL_GUID : block);
    return NULL_GUID;
}

static void turn(void) {
    ocrGuid_t first, ended;
    MUST(ocrEdtCreate(&first, rootTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT,
                      &ended));
    MUST(ocrEdtCreate(NULL, endTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &ended, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
}

/* Every kind is measured twice; the first time warms up. */
static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    if (kind >= KINDS)
        figure(kinds[kind % KINDS].key, (ended - begin) / (double)((1ull << depth) - 1));
    if (++kind < 2 * KINDS) {
        turn();
        return NULL_GUID;
    }
    expectEdts(kind * ((1ull << depth) + 1));
    MUST(ocrDbDestroy(block));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    void *ptr;
    (void)paramc, (void)paramv, (void)depc;
    depth = sizeArgument(depv, 1, 19);
    MUST(ocrDbCreate(&block, &ptr, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    MUST(ocrDbRelease(block));
    nodeTemplate = template(node, 1, 1);
    rootTemplate = template(root, 0, 1);
    endTemplate = template(end, 0, 1);
    turn();
    return NULL_GUID;
}
