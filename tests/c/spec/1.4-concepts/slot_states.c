/*
 * 1.4.1.1: a pre-slot without a link keeps its EDT from running, and so does one whose source has not triggered. A
 * post-slot may be satisfied while nothing is linked to it: what is linked later is served at once. The post-slot of a
 * block is always satisfied. 1.4.1: links join a post-slot with a pre-slot.
 */
// clause: 1.4.1 1.4.1.1
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { FIRST, SECOND, THIRD, LAST, STEPS };

static ocrGuid_t waiting, source; /* the EDT with three pre-slots, and what its second one is linked to */
static ocrGuid_t end;
static atomic_int step_done;

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 3);
    CHECK_EQ(atomic_load(&step_done), STEPS);
    CHECK(ocrGuidIsNull(depv[0].guid) && ocrGuidIsNull(depv[1].guid));
    CHECK_EQ(number_in(depv[2]), 7);
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 8);
    return NULL_GUID;
}

/* A step of the EDT's pre-slots, and then the next, in an EDT of its own: meanwhile it could run if it were ready. */
static ocrGuid_t steps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 next = paramv[0] + 1;
    breathe();
    atomic_store(&step_done, (int)next);
    switch (paramv[0]) {
    case FIRST: link_to(block_with(7), waiting, 2, DB_MODE_RO); break;
    case SECOND: link_to(source, waiting, 1, DB_MODE_NULL); break;
    case THIRD: OK(ocrEventSatisfy(source, NULL_GUID)); break;
    case LAST: link_to(NULL_GUID, waiting, 0, DB_MODE_NULL); return NULL_GUID;
    }
    spawn(steps, 1, &next, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, event = event_of(OCR_EVENT_STICKY_T);
    u64 first = FIRST;
    end = end_after(2);
    waiting = spawn_with(looks, 0, NULL, 3, NULL, EDT_PROP_NONE, &output);
    link_to(output, end, 0, DB_MODE_NULL);
    source = event_of(OCR_EVENT_STICKY_T);
    spawn(steps, 1, &first, 0, NULL);

    /* Its post-slot is satisfied and has no link. */
    OK(ocrEventSatisfy(event, block_with(8)));
    ocrGuid_t late = spawn_with(reads, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, end, 1, DB_MODE_NULL);
    link_to(event, late, 0, DB_MODE_RO);
    return NULL_GUID;
}
