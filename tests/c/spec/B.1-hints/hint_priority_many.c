/*
 * Many EDTs with priorities, made by many, with few and with many workers: none is lost, none runs twice, and workers
 * that sleep are woken for them, also when nothing else is ever ready.
 */
// clause: B.1.3
// one-node: its EDTs share variables of the program
#include "check.h"

static u64 s_ran;

static ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    __atomic_fetch_add(&s_ran, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

static void create(ocrGuid_t tmpl, u32 paramc, u64 *paramv, u64 priority) {
    ocrHint_t hint;
    ocrGuid_t edt;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, priority));
    OK(ocrEdtCreate(&edt, tmpl, paramc, paramv, 0, NULL, EDT_PROP_NONE, &hint, NULL));
}

/* A tree of EDTs, all with priorities; paramv: depth, the templates of a node and of a leaf. */
static ocrGuid_t node(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t nodes = {(s64)paramv[1]}, leaves = {(s64)paramv[2]};
    __atomic_fetch_add(&s_ran, 1, __ATOMIC_RELAXED);
    for (u64 i = 0; i < 8; i++)
        create(leaves, 0, NULL, i % 3);
    u64 params[] = {paramv[0] - 1, paramv[1], paramv[2]};
    for (int i = 0; paramv[0] > 0 && i < 2; i++)
        create(nodes, 3, params, paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(s_ran, 9 * (((u64)2 << paramv[0]) - 1));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 depth = small_run() ? 5 : 12;
    ocrGuid_t nodes = template_of(node, 3, 0), leaves = template_of(leaf, 0, 0), done, root;
    ocrGuid_t first = template_of(node, 3, 1);
    u64 params[] = {depth, (u64)nodes.guid, (u64)leaves.guid};
    OK(ocrEdtCreate(&root, first, 3, params, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &done));
    spawn(last, 1, &depth, 1, &done);
    link_to(NULL_GUID, root, 0, DB_MODE_NULL);
    return NULL_GUID;
}
