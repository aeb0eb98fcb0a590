/*
 * 1.4.1.2 fan-out: a million pre-slots on one post-slot: 1000 EDTs of 1000 slots on a once event
 * and on an output event; 200000 EDTs of one slot each; all before and half after a satisfaction.
 */
// clause: 1.4.1.2
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

static atomic_long ran;

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(number_in(depv[0]), 11);
    CHECK(depv[depc - 1].ptr == depv[0].ptr);
    atomic_fetch_add(&ran, 1);
    return NULL_GUID;
}

static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    return depv[0].guid;
}

static void slots_of(ocrGuid_t source, u64 edts, u32 slots) {
    ocrGuid_t tmpl = template_of(counts, 0, EDT_PARAM_UNK);
    for (u64 i = 0; i < edts; i++) {
        ocrGuid_t edt = edt_of(tmpl, 0, NULL, slots, NULL, EDT_PROP_NONE, NULL);
        for (u32 slot = 0; slot < slots; slot++) {
            link_to(source, edt, slot, i % 2 ? DB_MODE_RO : DB_MODE_CONST);
        }
    }
    OK(ocrEdtTemplateDestroy(tmpl));
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 wide = paramv[0], many = paramv[1];
    ocrGuid_t block = block_with(11);
    ocrGuid_t once = event_of(OCR_EVENT_ONCE_T), sticky = event_of(OCR_EVENT_STICKY_T), output;
    ocrGuid_t producer = spawn_with(produces, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    slots_of(once, wide, 1000);
    slots_of(output, wide, 1000);
    slots_of(sticky, many, 1);
    OK(ocrEventSatisfy(once, block));
    link_to(block, producer, 0, DB_MODE_RO);
    OK(ocrEventSatisfy(sticky, block));
    slots_of(sticky, many, 1);
    OK(ocrEventDestroy(sticky));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&ran), 2 * paramv[0] + 2 * paramv[1]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 args[] = {small_run() ? 10 : 1000, scaled(200000)};
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(all, 2, args, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(ends, 2, args, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
