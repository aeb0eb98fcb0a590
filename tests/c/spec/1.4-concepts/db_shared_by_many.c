// A block that many EDTs use at the same time, in each mode that allows it. A writer that waits gets it
// after all of them and while none has it; what they wrote is there; and a block that is destroyed
// meanwhile lives until the last has ended.
// clause: 1.4.4
// unordered: EDTs that nothing orders add to a block in mode RW, by atomic additions
// one-node: its EDTs share variables of the program

#include "check.h"
#include <stdatomic.h>

enum { DEPTH = 12, NODES = (1 << DEPTH) - 1, WRITERS = 20, WRITES = 1000 };

static const ocrDbAccessMode_t modes[] = { DB_MODE_CONST, DB_MODE_RW, DB_MODE_RO };
enum { PHASES = sizeof modes / sizeof modes[0] };

static ocrGuid_t nodeTemplate, writerTemplate, rootTemplate, checkTemplate;
static _Atomic u64 inside, ran, wrote;
static u64 phase;

static void begin(void);

/* Adds 1 to the block's counter where it may write, sees that it does not change where no EDT may write, and
 * gives the block to two more. */
static ocrGuid_t node(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 levels = paramv[0], next = levels - 1;
    _Atomic u64 *const counter = depv[0].ptr;
    atomic_fetch_add(&inside, 1);
    if (modes[phase] == DB_MODE_RW)
        atomic_fetch_add(counter, 1);
    if (modes[phase] == DB_MODE_CONST)
        CHECK_EQ(atomic_load(counter), phase);
    for (int child = 0; levels > 1 && child < 2; child++) {
        ocrGuid_t edt = edt_of(nodeTemplate, 1, &next, 1, NULL, EDT_PROP_NONE, NULL);
        OK(ocrAddDependence(depv[0].guid, edt, 0, modes[phase]));
    }
    atomic_fetch_add(&ran, 1);
    atomic_fetch_sub(&inside, 1);
    if (levels % 3 == 0)
        OK(ocrDbRelease(depv[0].guid));
    return NULL_GUID;
}

/* What it writes, and takes back, no CONST reader may see. */
static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    volatile u64 *const counter = depv[0].ptr;
    const u64 before = *counter;
    for (int i = 0; i < WRITES; i++)
        ++*counter;
    CHECK_EQ(atomic_load(&inside), 0);
    CHECK_EQ(*counter, before + WRITES);
    *counter = before;
    atomic_fetch_add(&wrote, 1);
    return NULL_GUID;
}

static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 levels = DEPTH;
    ocrGuid_t first = edt_of(nodeTemplate, 1, &levels, 1, NULL, EDT_PROP_NONE, NULL);
    OK(ocrAddDependence(depv[0].guid, first, 0, modes[phase]));
    for (int i = 0; modes[phase] != DB_MODE_RO && i < WRITERS; i++) {
        ocrGuid_t edt = edt_of(writerTemplate, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
        OK(ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_EW));
    }
    return NULL_GUID;
}

static ocrGuid_t check(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(ran, NODES);
    CHECK_EQ(wrote, modes[phase] == DB_MODE_RO ? 0 : WRITERS);
    CHECK_EQ(*(u64 *)depv[0].ptr, phase + (modes[phase] == DB_MODE_RW ? NODES : 0));
    OK(ocrDbDestroy(depv[0].guid));
    if (++phase == PHASES)
        ocrShutdown();
    else
        begin();
    return NULL_GUID;
}

static void begin(void) {
    ocrGuid_t block, ended;
    u64 *counter;
    ran = wrote = 0;
    OK(ocrDbCreate(&block, (void **)&counter, sizeof *counter, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *counter = phase;
    OK(ocrDbRelease(block));
    ocrGuid_t scope = edt_of(rootTemplate, 0, NULL, 1, NULL, EDT_PROP_FINISH, &ended);
    ocrGuid_t after = edt_of(checkTemplate, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL);
    OK(ocrAddDependence(block, after, 0, DB_MODE_RO));
    OK(ocrAddDependence(ended, after, 1, DB_MODE_NULL));
    OK(ocrAddDependence(block, scope, 0, DB_MODE_RO));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    nodeTemplate = template_of(node, 1, 1);
    writerTemplate = template_of(writer, 0, 1);
    rootTemplate = template_of(root, 0, 1);
    checkTemplate = template_of(check, 0, 2);
    begin();
    return NULL_GUID;
}
