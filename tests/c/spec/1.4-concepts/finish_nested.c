/*
 * 1.4.2 finish EDTs: the output event fires when every EDT created within, by whomever, has ended:
 * children, children of children, three scopes deep, EDTs that wait for events satisfied later,
 * 20000 children at once. An inner scope ends before the outer one; EDTs outside do not count.
 */
// clause: 1.4.2
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { FAN = 6, WIDE = 20000 };
static atomic_int in_scope[4], outside_done;

static ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 level = paramv[0], rest = paramv[1];
    if (rest > 0) {
        /* A grandchild, made by a descendant: it counts before its maker is gone. */
        u64 args[] = {level, rest - 1};
        ocrGuid_t once = event_of(OCR_EVENT_ONCE_T);
        spawn(leaf, 2, args, 1, &once);
        OK(ocrEventSatisfy(once, NULL_GUID));
    } else {
        atomic_fetch_add(&in_scope[level], 1);
    }
    return NULL_GUID;
}

static int wanted(u64 level) {
    int here = 1;
    for (u64 i = 0; i < level; i++) {
        here *= FAN;
    }
    return here * FAN;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static ocrGuid_t scope_ended(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    /* This scope's leaves have all run; those of its siblings may or may not have. */
    CHECK(atomic_load(&in_scope[paramv[0]]) >= FAN);
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 level = paramv[0];
    for (u64 i = 0; i < FAN; i++) {
        u64 args[] = {level, i};
        spawn(leaf, 2, args, 0, NULL);
        if (level < 3) {
            u64 next = level + 1;
            ocrGuid_t done, hold = UNINITIALIZED_GUID;
            ocrGuid_t edt = spawn_with(scope, 1, &next, 1, &hold, EDT_PROP_FINISH, &done);
            spawn(scope_ended, 1, &next, 1, &done);
            link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
        }
    }
    return NULL_GUID;
}

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_fetch_add(&outside_done, 1);
    return NULL_GUID;
}

static ocrGuid_t wide(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(counts, 0, 0);
    for (int i = 0; i < WIDE; i++) {
        edt_of(tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependence");
    return NULL_GUID;
}

static ocrGuid_t after_wide(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&outside_done), WIDE);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t after_nested(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 level = 0; level < 4; level++) {
        CHECK_EQ(atomic_load(&in_scope[level]), wanted(level));
    }
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(wide, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(after_wide, 0, NULL, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    /* Outside every scope, and never to end. */
    spawn(never, 0, NULL, 1, NULL);
    u64 level = 0;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(scope, 1, &level, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(after_nested, 0, NULL, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
