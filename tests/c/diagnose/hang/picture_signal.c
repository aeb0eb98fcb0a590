/*
 * SIGUSR1 prints what runs and what waits, while the program goes on: EDTs that run, wait for events, for
 * pre-slots that are not connected, for blocks; finish scopes; threads that wait in calls. And the same as
 * a graph. The program sleeps through the signal.
 */
// clause: hang
// workers: 2 8
// one-node: its EDTs share variables of the program
#include "picture.h"

#include <extensions/ocr-legacy.h>
#include <stdatomic.h>

static ocrGuid_t go_on, holding, gate;

static atomic_bool waiting;

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    while (!atomic_load(&waiting))
        breathe();
    const char *name = text_file;
    /* again, if blocks was about to wait and did not yet */
    for (int tries = 0; tries < 1000 && !strstr(content(name), "waits in"); tries++)
        take_picture();
    take_picture();
    has(name, "ocr: note: after ");
    has(name, " have run, ");
    has(name, " since the note after ");
    has(name, "(asks), as after ");
    has(name, "s: ");
    has(name, " workers; EDTs: ");
    has(name, "3 waiting for dependences, 1 waiting for data blocks");
    has(name, "(asks)");
    has(name, " runs EDT ");
    has(name, "(blocks), waits in ocrLegacyBlockProgress for the sticky event");
    has(name, "(wants_it) waits on pre-slot 0 for the data block");
    has(name, "in mode EW: it is held in mode EW by EDT");
    has(name, "(lacks_some) waits on\n    pre-slot 1: a dependence that has not been added yet");
    has(name, "the latch event");
    has(name, "whose counter is 2: it lacks 2");
    has(name, "the finish scope of EDT");
    has(graph_file, "digraph");
    has(graph_file, "wants_it");
    has(graph_file, "never connected");
    forget_picture();
    OK(ocrEventSatisfy(go_on, NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t blocks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    /* lets wants_it ask for the block that this EDT has */
    OK(ocrEventSatisfy(holding, NULL_GUID));
    atomic_store(&waiting, true);
    OK(ocrLegacyBlockProgress(go_on, NULL, NULL, NULL, LEGACY_PROP_NONE));
    return NULL_GUID;
}

static ocrGuid_t wants_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t lacks_some(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependences");
    return NULL_GUID;
}

static ocrGuid_t opens(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T);
    for (int n = 0; n < 2; n++)
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    spawn(lacks_some, 0, NULL, 1, &latch);
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, block = block_with(1), slots[] = {NULL_GUID, UNINITIALIZED_GUID}, finished;
    go_on = event_of(OCR_EVENT_STICKY_T);
    holding = event_of(OCR_EVENT_STICKY_T);
    gate = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtTemplateCreate(&tmpl, lacks_some, 0, 2));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtTemplateCreate(&tmpl, opens, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &finished));
    spawn(lacks_some, 0, NULL, 1, &finished);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    OK(ocrEdtTemplateCreate(&tmpl, wants_it, 0, 2));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(holding, edt, 1, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrEdtTemplateCreate(&tmpl, blocks, 0, 2));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(gate, edt, 1, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrEdtTemplateCreate(&tmpl, asks, 0, 0));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
