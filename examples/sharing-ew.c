/* Mode EW: many tasks change one value, and no change is lost.
 *
 * Exclusive write: a task that has the block in this mode is the only one that writes it, so reading, adding and
 * writing back needs no atomic operation and no lock. No order is promised, and no worker waits: a task that cannot
 * have the block yet is put aside until it can.
 *
 * Prints: 1000 increments made 1000 */
#include <ocr.h>

#define TASKS 1000u

static ocrGuid_t incrementEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 *counter = depv[0].ptr;
    *counter = *counter + 1;
    return NULL_GUID;
}

static ocrGuid_t checkEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    const u64 count = *(u64 *)depv[depc - 1].ptr;
    ocrPrintf("%u increments made %" PRIu64 "\n", TASKS, count);
    ocrDbDestroy(depv[depc - 1].guid);
    if (count == TASKS)
        ocrShutdown();
    else
        ocrAbort(1);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, incrementTemplate, checkTemplate, check;
    void *ptr;
    ocrDbCreate(&block, &ptr, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *(u64 *)ptr = 0;
    ocrDbRelease(block);
    ocrEdtTemplateCreate(&incrementTemplate, incrementEdt, 0, 1);
    ocrEdtTemplateCreate(&checkTemplate, checkEdt, 0, TASKS + 1);
    ocrEdtCreate(&check, checkTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);

    for (u32 task = 0; task < TASKS; task++) {
        ocrGuid_t increment, done;
        ocrEdtCreate(&increment, incrementTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                     NULL_HINT, &done);
        ocrAddDependence(done, check, task, DB_MODE_NULL); /* first, since the next line lets the task run */
        ocrAddDependence(block, increment, 0, DB_MODE_EW);
    }
    ocrAddDependence(block, check, TASKS, DB_MODE_CONST);
    ocrEdtTemplateDestroy(incrementTemplate);
    ocrEdtTemplateDestroy(checkTemplate);
    return NULL_GUID;
}
