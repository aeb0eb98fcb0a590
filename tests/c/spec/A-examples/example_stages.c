/*
 * A.3: a graph that is no tree: two EDTs of a first stage, of which one makes an EDT of the second stage itself; one of
 * the second stage needs both of the first. Pre-slots are satisfied in each way: by an array at the creation, by an
 * output event, by an event and a call, by NULL_GUID.
 */
// clause: A.3
#include "check.h"

static ocrGuid_t last_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    CHECK_EQ(number_in(depv[0]), 20); /* the second stage of a */
    CHECK_EQ(number_in(depv[1]), 12); /* the second stage of both */
    ocrShutdown();
    return NULL_GUID;
}

/* paramv: the event that it satisfies at its end. */
static ocrGuid_t second_of_a(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t block = block_with(2 * number_in(depv[0]));
    OK(ocrEventSatisfy(((ocrGuid_t *)paramv)[0], block));
    return NULL_GUID;
}

static ocrGuid_t second_of_both(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 2);
    return block_with(number_in(depv[0]) + number_in(depv[1]));
}

static ocrGuid_t first_a(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    ocrGuid_t block = block_with(10);
    spawn(second_of_a, paramc, paramv, 1, &block);
    return block;
}

static ocrGuid_t first_b(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return block_with(2);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t by_call = event_of(OCR_EVENT_ONCE_T), from_a, from_b, from_both;
    ocrGuid_t a = spawn_with(first_a, 1, (u64 *)&by_call, 1, NULL, EDT_PROP_NONE, &from_a);
    ocrGuid_t b = spawn_with(first_b, 0, NULL, 1, NULL, EDT_PROP_NONE, &from_b);
    ocrGuid_t slots[] = {from_a, UNINITIALIZED_GUID};
    ocrGuid_t both = spawn_with(second_of_both, 0, NULL, 2, slots, EDT_PROP_NONE, &from_both);
    ocrGuid_t last = spawn(last_of, 0, NULL, 2, NULL);
    link_to(from_b, both, 1, DB_MODE_RO);
    link_to(by_call, last, 0, DB_MODE_RO);
    link_to(from_both, last, 1, DB_MODE_RO);
    /* The graph is complete: now it may begin. */
    link_to(NULL_GUID, a, 0, DB_MODE_NULL);
    link_to(NULL_GUID, b, 0, DB_MODE_NULL);
    return NULL_GUID;
}
