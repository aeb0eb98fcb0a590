/* With OCR_BIND=cores each worker stays on one core, also a thread that takes the seat of one whose EDT waits. */
// clause: process
// env: OCR_BIND=cores
#include "check.h"
#include <extensions/ocr-legacy.h>

#define EDTS 64

static ocrGuid_t lookEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    cpu_set_t cores;
    CHECK(sched_getaffinity(0, sizeof cores, &cores) == 0);
    CHECK(CPU_COUNT(&cores) == 1);
    return NULL_GUID;
}

/* Waits in a call, so that another thread takes its seat. */
static ocrGuid_t waitEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t template, done;
    ocrEdtTemplateCreate(&template, lookEdt, 0, 1);
    ocrGuid_t edt, event;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &done);
    ocrAddDependence(done, event, 0, DB_MODE_NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    CHECK(ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE) == 0);
    return lookEdt(0, NULL, 0, NULL);
}

static ocrGuid_t endEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t allEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t look, wait;
    ocrEdtTemplateCreate(&look, lookEdt, 0, 0);
    ocrEdtTemplateCreate(&wait, waitEdt, 0, 0);
    for (int i = 0; i < EDTS; i++)
        ocrEdtCreate(NULL, i % 8 ? look : wait, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t template, all, end, done;
    ocrEdtTemplateCreate(&template, allEdt, 0, 1);
    ocrEdtCreate(&all, template, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &done);
    ocrEdtTemplateCreate(&template, endEdt, 0, 1);
    ocrEdtCreate(&end, template, 0, NULL, 1, &done, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(NULL_GUID, all, 0, DB_MODE_NULL);
    return NULL_GUID;
}
