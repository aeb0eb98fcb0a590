// clause: B.1.3
// workers: 1
// one-node: its EDTs share variables of the program
/*
 * Ready EDTs with a priority run before others, the highest first, and of equals the one that was ready first. With one
 * worker the order is certain.
 */
#include "check.h"

enum { COUNT = 200 };

static u64 s_ran, s_urgent, s_next_of[10];
static u64 s_last = (u64)-1;

static ocrGuid_t task(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 number = paramv[0], priority = paramv[1];
    CHECK(priority <= s_last);
    if (number % 2 == 0 && priority > 0 && priority < 10) { /* made ready in the order of their numbers */
        CHECK(number >= s_next_of[priority]);
        s_next_of[priority] = number + 1;
    }
    s_last = priority;
    s_urgent -= priority != 0;
    s_ran++;
    return NULL_GUID;
}

static ocrGuid_t without(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(s_urgent, 0);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(s_ran, COUNT);
    CHECK_EQ(s_last, 0);
    ocrShutdown();
    return NULL_GUID;
}

/* One without a priority is ready before those that have one, and one is ready after them: both run when they have. */
static ocrGuid_t tasks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(task, 2, 1), edts[COUNT], event = event_of(OCR_EVENT_STICKY_T);
    ocrHint_t hint;
    u64 seed = 42;
    spawn(without, 0, NULL, 0, NULL);
    for (u64 i = 0; i < COUNT; i++) {
        u64 params[] = {i, next_random(&seed) % 10};
        if (i == 77)
            params[1] = (u64)-1;
        s_urgent += params[1] != 0;
        OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, params[1]));
        /* Given at creation, or set on the EDT; 0 is like none. */
        ocrHint_t *given = i % 3 == 0 || params[1] == 0 ? NULL_HINT : &hint;
        OK(ocrEdtCreate(&edts[i], tmpl, 2, params, 1, NULL, EDT_PROP_NONE, given, NULL));
        if (i % 3 == 0)
            OK(ocrSetHint(edts[i], &hint));
    }
    for (int i = 0; i < COUNT; i++)
        link_to(i % 2 ? event : NULL_GUID, edts[i], 0, DB_MODE_NULL);
    OK(ocrEventSatisfy(event, NULL_GUID));
    spawn(without, 0, NULL, 0, NULL);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, all = spawn_with(tasks, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(last, 0, NULL, 1, &done);
    link_to(NULL_GUID, all, 0, DB_MODE_NULL);
    return NULL_GUID;
}
