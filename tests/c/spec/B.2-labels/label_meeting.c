/*
 * B.2: EDTs that know the same tuple get the same GUID. B.2.1.1: producers find the EDT that collects what they produce
 * by its label alone. B.2.1.2: the two sides of each edge both create the event between them: one of them does, and
 * both have it.
 */
// clause: B.2 B.2.1.1 B.2.1.2
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>
#include <stdatomic.h>

enum { SIDES = 2, EDGES = 100, SKIP = 3 };

static ocrGuid_t sinks, edges; /* the map of the sink, and of the events; set before any other EDT is made */
static atomic_int created;

/* The tuple is a row and a column. */
static ocrGuid_t place(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    return (ocrGuid_t){start.guid + (s64)skip * (tuple[0] * params[0] + tuple[1])};
}

static ocrGuid_t label(ocrGuid_t map, s64 row, s64 column) {
    s64 tuple[] = {row, column};
    ocrGuid_t guid, again;
    OK(ocrGuidFromLabel(&guid, map, tuple));
    OK(ocrGuidFromLabel(&again, map, tuple));
    CHECK(ocrGuidIsEq(guid, again));
    return guid;
}

static ocrGuid_t collects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, EDGES);
    for (u32 i = 0; i < depc; i++)
        CHECK_EQ(number_in(depv[i]), 1000 + i);
    CHECK_EQ(atomic_load(&created), EDGES);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t passes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    link_to(depv[0].guid, label(sinks, 0, 1), (u32)paramv[0], DB_MODE_RO);
    return NULL_GUID;
}

/* One side of an edge. paramv: which edge, which side. */
static ocrGuid_t side(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event = label(edges, (s64)(paramv[0] / SKIP), (s64)(paramv[0] % SKIP)), own = event;
    u8 code = ocrEventCreate(&own, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
    CHECK(code == 0 || code == OCR_EGUIDEXISTS);
    CHECK(ocrGuidIsEq(own, event));
    atomic_fetch_add(&created, code == 0);
    if (paramv[1] == 0)
        OK(ocrEventSatisfy(event, block_with(1000 + paramv[0])));
    else
        link_to(event, spawn(passes_on, 1, paramv, 1, NULL), 0, DB_MODE_RO);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s64 columns = SKIP;
    OK(ocrGuidMapCreate(&sinks, 1, place, &columns, SKIP, GUID_USER_EDT));
    OK(ocrGuidMapCreate(&edges, 1, place, &columns, EDGES + SKIP, GUID_USER_EVENT_STICKY));
    ocrGuid_t sink = label(sinks, 0, 1), tmpl = template_of(collects, 0, EDGES);
    CHECK(!ocrGuidIsEq(sink, label(sinks, 0, 2)));
    OK(ocrEdtCreate(&sink, tmpl, 0, NULL, EDGES, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    ocrGuid_t sides = template_of(side, 2, 0);
    for (u64 edge = 0; edge < EDGES; edge++)
        for (u64 which = 0; which < SIDES; which++)
            edt_of(sides, 2, (u64[]){edge, which}, 0, NULL, EDT_PROP_NONE, NULL);
    OK(ocrEdtTemplateDestroy(sides));
    return NULL_GUID;
}
