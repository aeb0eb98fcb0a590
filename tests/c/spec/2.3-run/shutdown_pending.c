/*
 * 2.3.1: any EDT may end the program: here one nested in others, while EDTs wait that will never
 * run, blocks and events are alive, and runnable EDTs may or may not run. The EDT that called
 * ocrShutdown may go on to its end.
 */
// clause: 2.3.1
// deviates: 2.3.1
#include "check.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT ran whose dependence was never satisfied");
    return NULL_GUID;
}

static ocrGuid_t maybe(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    if (paramv[0] > 0) {
        u64 rest = paramv[0] - 1;
        spawn(maybe, 1, &rest, 0, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t nested(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 level = paramv[0];
    CHECK_EQ(number_in(depv[0]), 77);
    if (level == 0) {
        ocrShutdown();
        return depv[0].guid;
    }
    level--;
    spawn_with(nested, 1, &level, 1, &depv[0].guid, EDT_PROP_FINISH, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T, OCR_EVENT_LATCH_T};
    for (u64 i = 0; i < 1000; i++) {
        ocrGuid_t slots[] = {event_of(types[i % 4]), UNINITIALIZED_GUID, block_with(i)};
        ocrGuid_t output;
        spawn_with(never, 0, NULL, 3, slots, i % 2 ? EDT_PROP_FINISH : EDT_PROP_NONE, &output);
        spawn(never, 0, NULL, 1, &output);
    }
    for (u64 i = 0; i < 200; i++) {
        spawn(maybe, 1, &i, 0, NULL);
    }
    u64 level = 5;
    ocrGuid_t block = block_with(77);
    spawn(nested, 1, &level, 1, &block);
    return NULL_GUID;
}
