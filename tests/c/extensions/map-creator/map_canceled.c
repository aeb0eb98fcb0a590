/*
 * ocrMapGet has to wait for a creator, and no creator could go on: the caller has paused the runtime, or the
 * program ends. It returns OCR_ECANCELED and writes nothing; after a pause the call returns the object.
 */
// clause: ocr-map-creator.h
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-map-creator.h>
#include <extensions/ocr-pause.h>
#include <stdatomic.h>

static ocrGuid_t map, gate, never;
static atomic_int refused;

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t object;
    u8 code = ocrMapGet(&object, map, paramv[0]);
    CHECK_EQ(code, paramv[0] == 0 ? 0 : OCR_ENOENT);
    return NULL_GUID;
}

static ocrGuid_t while_ending(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t object = map;
    spawn(ends, 0, NULL, 0, NULL);
    REFUSED(OCR_ECANCELED, ocrMapGet(&object, map, 1));
    CHECK(ocrGuidIsEq(object, map));
    atomic_store(&refused, 1);
    return NULL_GUID;
}

static ocrGuid_t while_paused(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t object = map, again;
    u32 flag = ocrPause(true);
    CHECK_EQ(flag, 1);
    REFUSED(OCR_ECANCELED, ocrMapGet(&object, map, 0));
    CHECK(ocrGuidIsEq(object, map));
    ocrResume(flag);
    OK(ocrEventSatisfy(gate, NULL_GUID));
    OK(ocrMapGet(&object, map, 0));
    OK(ocrMapGet(&again, map, 0));
    CHECK(ocrGuidIsEq(object, again));
    u64 index = 1;
    spawn(asks, 1, &index, 0, NULL);
    return NULL_GUID;
}

/* Lets somebody else ask for the object while it waits. */
static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    if (index == 0) {
        spawn(while_paused, 0, NULL, 0, NULL);
        OK(ocrLegacyBlockProgress(gate, NULL, NULL, NULL, LEGACY_PROP_NONE));
        OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED));
        return;
    }
    spawn(while_ending, 0, NULL, 0, NULL);
    REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(never, NULL, NULL, NULL, LEGACY_PROP_NONE));
    while (!atomic_load(&refused))
        breathe();
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 index = 0;
    gate = event_of(OCR_EVENT_STICKY_T);
    never = event_of(OCR_EVENT_STICKY_T);
    OK(ocrMapCreate(&map, 2, creator, 0, NULL, 0, NULL));
    spawn(asks, 1, &index, 0, NULL);
    return NULL_GUID;
}
