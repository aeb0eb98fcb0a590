/*
 * Strict mode says nothing where an EDT goes on to hold a block with which it has satisfied an event, while who gets
 * it in mode RW writes it: it is that one's right.
 */
// clause: 1.4.4
// env: OCR_CHECK=strict
// stdout-lines: 1 right
// stderr-without: ocr: error
#include "strict.h"

enum { ROUNDS = 50 };

static int written[ROUNDS];

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    __atomic_store_n(&written[paramv[0]], 1, __ATOMIC_RELEASE);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* With one worker, it ends before the other begins. */
static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = {(intptr_t)paramv[0]};
    void *address;
    ocrGuid_t block = block_of(sizeof(u64), &address);
    OK(ocrEventSatisfy(event, block));
    for (u64 i = 0; i < 1000 * paramv[1] && !__atomic_load_n(&written[paramv[1]], __ATOMIC_ACQUIRE); i++) {
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < ROUNDS; i++) {
        ocrGuid_t event = event_of(OCR_EVENT_ONCE_T);
        u64 params[] = {(u64)event.guid, i};
        spawn(uses, 1, &i, 1, &event);
        spawn(produces, 2, params, 0, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < ROUNDS; i++)
        CHECK(written[i]);
    ocrPrintf("right\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, slot = UNINITIALIZED_GUID;
    ocrGuid_t scope = spawn_with(all, 0, NULL, 1, &slot, EDT_PROP_FINISH, &done);
    spawn(end, 0, NULL, 1, &done);
    link_to(NULL_GUID, scope, 0, DB_MODE_NULL);
    return NULL_GUID;
}
