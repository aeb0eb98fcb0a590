/*
 * B.3: the parameters of an event are read while it is created: what the program does with them afterwards changes
 * nothing. B.3.1: a latch event that begins at a number needs no increments: it triggers with the last of as many
 * decrements, and, where it begins below zero, of as many increments.
 */
// clause: B.3 B.3.1 B.3.2
// deviates: B.3
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

enum { COUNT = 100 };

static atomic_int satisfied[2];

static ocrGuid_t after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&satisfied[paramv[0]]), COUNT);
    return NULL_GUID;
}

/* paramv: the latch event, whether it began above zero. */
static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u32 slot = paramv[1] ? OCR_EVENT_LATCH_DECR_SLOT : OCR_EVENT_LATCH_INCR_SLOT;
    atomic_fetch_add(&satisfied[paramv[1]], 1);
    OK(ocrEventSatisfySlot(((ocrGuid_t *)paramv)[0], NULL_GUID, slot));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(2), tmpl = template_of(satisfies, 2, 0);
    for (u64 above = 0; above < 2; above++) {
        ocrEventParams_t *params = malloc(sizeof *params);
        ocrGuid_t latch, output;
        CHECK(params != NULL);
        params->EVENT_LATCH.counter = above ? COUNT : -COUNT;
        OK(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, params));
        memset(params, 0xff, sizeof *params);
        free(params);
        ocrGuid_t edt = spawn_with(after, 1, &above, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, (u32)above, DB_MODE_NULL);
        link_to(latch, edt, 0, DB_MODE_NULL);
        for (int i = 0; i < COUNT; i++)
            edt_of(tmpl, 2, (u64[]){(u64)latch.guid, above}, 0, NULL, EDT_PROP_NONE, NULL);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
