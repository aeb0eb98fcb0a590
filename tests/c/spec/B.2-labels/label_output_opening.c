// A finish EDT is created on a label, with a labeled event for its output, while another thread creates that event,
// for which dependences on the EDT's label wait. Neither waits for the other indefinitely.
//
// clause: B.2.3
// workers: 2 8
// one-node: its EDTs share variables of the program
#include "check.h"
#include <stdatomic.h>

#include <extensions/ocr-labeling.h>

enum { ROUNDS = 20, SLOTS = 500 };

static ocrGuid_t edts, events;
static atomic_ulong begun;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t template = template_of(nothing, 0, SLOTS);
    ocrGuid_t label, event;
    ocrGuidUserKind kind = GUID_USER_NONE;
    OK(ocrGuidFromIndex(&label, edts, paramv[0]));
    OK(ocrGuidFromIndex(&event, events, paramv[0]));
    begun = paramv[0] + 1;
    while (kind == GUID_USER_NONE)
        OK(ocrGetGuidKind(&kind, event));
    const u16 properties = GUID_PROP_IS_LABELED | EDT_PROP_FINISH | EDT_PROP_OEVT_VALID;
    OK(ocrEdtCreate(&label, template, 0, NULL, EDT_PARAM_DEF, NULL, properties, NULL_HINT, &event));
    return NULL_GUID;
}

static ocrGuid_t opens(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event;
    OK(ocrGuidFromIndex(&event, events, paramv[0]));
    while (begun <= paramv[0])
        ;
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED));
    return NULL_GUID;
}

static ocrGuid_t round_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 next = paramv[0] + 1;
    ocrGuid_t label, event, sources[2] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID}, both[2], ended[2];
    OK(ocrGuidFromIndex(&label, edts, paramv[0]));
    OK(ocrGuidFromIndex(&event, events, paramv[0]));
    for (u32 i = 0; i < SLOTS; i++)
        OK(ocrAddDependence(event, label, i, DB_MODE_NULL));
    OK(ocrEdtCreate(&both[0], template_of(creates, 1, 1), 1, paramv, 1, sources, EDT_PROP_NONE, NULL_HINT, &ended[0]));
    OK(ocrEdtCreate(&both[1], template_of(opens, 1, 1), 1, paramv, 1, sources, EDT_PROP_NONE, NULL_HINT, &ended[1]));
    if (next == ROUNDS)
        spawn(end_edt, 0, NULL, 2, ended);
    else
        spawn(round_of, 1, &next, 2, ended);
    OK(ocrAddDependence(NULL_GUID, both[0], 0, DB_MODE_NULL));
    OK(ocrAddDependence(NULL_GUID, both[1], 0, DB_MODE_NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 first = 0;
    OK(ocrGuidRangeCreate(&edts, ROUNDS, GUID_USER_EDT));
    OK(ocrGuidRangeCreate(&events, ROUNDS, GUID_USER_EVENT_STICKY));
    spawn(round_of, 1, &first, 0, NULL);
    return NULL_GUID;
}
