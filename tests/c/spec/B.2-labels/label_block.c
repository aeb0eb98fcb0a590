/*
 * GUID_PROP_BLOCK: creation waits until the label is free, and other EDTs run meanwhile, with a single worker, too.
 * A label serves as a lock; then every kind of object is waited for.
 */
// clause: B.2.3
// deviates: B.2.3
// unordered: a block is destroyed while another EDT holds it, and its label is free when that has ended
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { LOCKERS = 20, ROUNDS = 5 };

static ocrGuid_t s_lock, s_block, s_edt, s_template;
static u32 s_inside, s_entered;

static ocrGuid_t label_of(ocrGuidUserKind kind) {
    ocrGuid_t range, guid;
    OK(ocrGuidRangeCreate(&range, 4, kind));
    OK(ocrGuidFromIndex(&guid, range, 2));
    return guid;
}

static ocrGuid_t unlocks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(__atomic_sub_fetch(&s_inside, 1, __ATOMIC_SEQ_CST), 0);
    OK(ocrEventDestroy(s_lock));
    return NULL_GUID;
}

/* Takes the lock; every other time another EDT gives it back. */
static ocrGuid_t locks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 round = 0; round < ROUNDS; round++) {
        ocrGuid_t guid = s_lock;
        OK(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK));
        CHECK_EQ(__atomic_add_fetch(&s_inside, 1, __ATOMIC_SEQ_CST), 1);
        __atomic_add_fetch(&s_entered, 1, __ATOMIC_SEQ_CST);
        if ((round + paramv[0]) % 2)
            unlocks(0, NULL, 0, NULL);
        else
            spawn(unlocks, 0, NULL, 0, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t lockers(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < LOCKERS; i++)
        spawn(locks, 1, &i, 0, NULL);
    return NULL_GUID;
}

/* ---- Every kind ---- */

static ocrGuid_t holds_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 5);
    OK(ocrEdtTemplateDestroy(s_template));
    link_to(NULL_GUID, s_edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

static ocrGuid_t labeled(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* The block is marked destroyed but an EDT still waits for its turn with it; the template and the EDT go later. */
static ocrGuid_t waits_for_all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guid = s_block, tmpl = template_of(labeled, 0, 0), output;
    void *addr;
    OK(ocrDbCreate(&guid, &addr, 16, DB_PROP_NONE | GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC));
    memset(addr, 1, 16);
    guid = s_template;
    OK(ocrEdtTemplateCreateLabeled(&guid, labeled, 0, 0, GUID_PROP_BLOCK, NULL));
    guid = s_edt;
    OK(ocrEdtCreate(&guid, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE | GUID_PROP_BLOCK, NULL_HINT, &output));
    /* Nothing else is left to run: all workers sleep, but this EDT does something, so the program does not hang. */
    for (int i = 0; i < 1000; i++)
        breathe();
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t destroys_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(waits_for_all, 0, NULL, 0, NULL);
    breathe();
    OK(ocrDbDestroy(s_block)); /* this EDT holds it, too */
    return NULL_GUID;
}

static ocrGuid_t every_kind(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(s_entered, LOCKERS * ROUNDS);
    void *addr;
    ocrGuid_t guid = s_block, tmpl = template_of(labeled, 0, 1);
    OK(ocrDbCreate(&guid, &addr, 8, DB_PROP_NONE | GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC));
    *(u64 *)addr = 5;
    OK(ocrDbRelease(guid));
    guid = s_template;
    OK(ocrEdtTemplateCreateLabeled(&guid, labeled, 0, 0, GUID_PROP_BLOCK, NULL));
    guid = s_edt;
    OK(ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE | GUID_PROP_BLOCK, NULL_HINT, NULL));
    ocrGuid_t hold = UNINITIALIZED_GUID, output;
    ocrGuid_t holder = spawn_with(holds_block, 0, NULL, 1, &hold, EDT_PROP_NONE, NULL);
    ocrGuid_t destroyer = spawn_with(destroys_block, 0, NULL, 1, &hold, EDT_PROP_NONE, &output);
    link_to(s_block, holder, 0, DB_MODE_RO); /* holds the block from here on */
    link_to(s_block, destroyer, 0, DB_MODE_RO);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_lock = label_of(GUID_USER_EVENT_STICKY);
    s_block = label_of(GUID_USER_DB);
    s_edt = label_of(GUID_USER_EDT);
    s_template = label_of(GUID_USER_EDT_TEMPLATE);
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t all = spawn_with(lockers, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(every_kind, 0, NULL, 1, &done);
    link_to(NULL_GUID, all, 0, DB_MODE_NULL);
    return NULL_GUID;
}
