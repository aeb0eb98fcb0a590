/*
 * Ten thousand finish scopes inside one another close from the inside out, without recursion; the
 * outputs fire in that order. Then ten thousand in which only the innermost has an event to wait for.
 */
// clause: 1.4.2
#include "check.h"
#include <stdatomic.h>

enum { DEPTH = 10000 };
static atomic_int closed;

static ocrGuid_t scope_closed(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_fetch_add(&closed, 1), DEPTH - paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 level = paramv[0] + 1;
    if (level <= DEPTH) {
        /* The EDT behind a scope belongs to the scope around it, which so ends after it. */
        ocrGuid_t done, hold = UNINITIALIZED_GUID;
        ocrGuid_t edt = spawn_with(scope, 1, &level, 1, &hold, EDT_PROP_FINISH, &done);
        spawn(scope_closed, 1, &level, 1, &done);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t innermost(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_store(&closed, 0);
    return NULL_GUID;
}

static ocrGuid_t bare_scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 level = paramv[0] + 1;
    if (level <= DEPTH) {
        spawn_with(bare_scope, 1, &level, 0, NULL, EDT_PROP_FINISH, NULL);
    } else {
        ocrGuid_t gate = event_of(OCR_EVENT_ONCE_T);
        spawn(innermost, 0, NULL, 1, &gate);
        OK(ocrEventSatisfy(gate, NULL_GUID)); /* all close in one go when that one ends */
    }
    return NULL_GUID;
}

static ocrGuid_t third(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&closed), 0); /* the innermost has run */
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&closed), DEPTH);
    u64 level = 0;
    ocrGuid_t done, hold = UNINITIALIZED_GUID,
                    edt = spawn_with(bare_scope, 1, &level, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(third, 0, NULL, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 level = 0;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(scope, 1, &level, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(second, 0, NULL, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
