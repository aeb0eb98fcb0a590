/*
 * priority.c - which of several ready EDTs runs first.
 *
 * Twelve EDTs become ready while mainEdt runs. Nine of them have a priority: of the hints of their template, of the
 * call that creates them, or set afterwards. Workers take those first, the highest before others; the three without
 * follow. With one worker the order is always the one that is printed at the end; with more, EDTs that start at about
 * the same time may pass each other.
 *
 *     OCR_WORKERS=1 build/examples/priority
 */
#include <ocr.h>

#define COUNT 12
#define NONE  ((u64)-1)

/*
 * Parameters: its number, its priority. The block holds how many ran before, and their numbers. Tasks have it in mode
 * RW, at the same time: with EW, those that are ready would wait for the block, first come, first served.
 */
static ocrGuid_t taskEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *ran = depv[0].ptr;
    ran[1 + __atomic_fetch_add(&ran[0], 1, __ATOMIC_RELAXED)] = paramv[0];
    if (paramv[1] == NONE)
        ocrPrintf("task %2" PRIu64 ", no priority\n", paramv[0]);
    else
        ocrPrintf("task %2" PRIu64 ", priority %" PRIu64 "\n", paramv[0], paramv[1]);
    return NULL_GUID;
}

static ocrGuid_t endEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u64 *ran = depv[1].ptr;
    ocrPrintf("order:");
    for (u64 i = 0; i < ran[0]; i++)
        ocrPrintf(" %" PRIu64, ran[1 + i]);
    ocrPrintf("\n");
    ocrDbDestroy(depv[1].guid);
    ocrShutdown();
    return NULL_GUID;
}

static void setPriority(ocrHint_t *hint, u64 priority) {
    ocrHintInit(hint, OCR_HINT_EDT_T);
    ocrSetHintValue(hint, OCR_HINT_EDT_PRIORITY, priority);
}

/* Creates all tasks, in its finish scope. Its parameter is the block. */
static ocrGuid_t tasksEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t ran = {(s64)paramv[0]}, plain, urgent, task;
    ocrHint_t hint;
    ocrEdtTemplateCreate(&plain, taskEdt, 2, 1);
    ocrEdtTemplateCreate(&urgent, taskEdt, 2, 1);
    setPriority(&hint, 50); /* where the EDTs of this template begin */
    ocrSetHint(urgent, &hint);

    for (u64 i = 0; i < COUNT; i++) {
        u64 params[] = {i, NONE};
        if (i % 4 == 0) { /* none at all */
            ocrEdtCreate(&task, plain, 2, params, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        } else if (i % 4 == 1) { /* the template's */
            params[1] = 50;
            ocrEdtCreate(&task, urgent, 2, params, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        } else if (i % 4 == 2) { /* that of the call comes on top */
            params[1] = i * 10;
            setPriority(&hint, i * 10);
            ocrEdtCreate(&task, urgent, 2, params, 1, NULL, EDT_PROP_NONE, &hint, NULL);
        } else { /* set while the EDT still waits for its block */
            params[1] = i;
            ocrEdtCreate(&task, plain, 2, params, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
            setPriority(&hint, i);
            ocrSetHint(task, &hint);
        }
        ocrAddDependence(ran, task, 0, DB_MODE_RW); /* from here on it is ready */
    }
    ocrEdtTemplateDestroy(plain);
    ocrEdtTemplateDestroy(urgent);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tasksTemplate, endTemplate, tasks, end, done, ran;
    u64 *numbers;
    ocrDbCreate(&ran, (void **)&numbers, (1 + COUNT) * sizeof *numbers, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    numbers[0] = 0;
    ocrDbRelease(ran);
    ocrEdtTemplateCreate(&tasksTemplate, tasksEdt, 1, 1);
    ocrEdtTemplateCreate(&endTemplate, endEdt, 0, 2);
    u64 param = (u64)ran.guid;
    ocrEdtCreate(&tasks, tasksTemplate, 1, &param, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &done);
    ocrEdtCreate(&end, endTemplate, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(done, end, 0, DB_MODE_NULL);
    ocrAddDependence(ran, end, 1, DB_MODE_RO);
    ocrAddDependence(NULL_GUID, tasks, 0, DB_MODE_NULL); /* the last: the tasks begin */
    ocrEdtTemplateDestroy(tasksTemplate);
    ocrEdtTemplateDestroy(endTemplate);
    return NULL_GUID;
}
