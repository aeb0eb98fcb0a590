/*
 * Misuses, by an EDT of node 1, of what node 0 has. The first argument says which; "none" is none.
 */
#include "nodes.h"

struct objects {
    char misuse[16];
    ocrGuid_t event, bare, gone, edt, block;
};

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

/* It runs on node 1. */
static ocrGuid_t misuser(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    struct objects *of = depv[0].ptr;
    const char *misuse = of->misuse;
    ocrAssert(here() == 1);
    if (strcmp(misuse, "twice") == 0) {
        ocrEventSatisfy(of->event, NULL_GUID);
        ocrEventSatisfy(of->event, NULL_GUID);
    } else if (strcmp(misuse, "gone") == 0) {
        ocrEventSatisfy(of->gone, NULL_GUID);
    } else if (strcmp(misuse, "slot") == 0) {
        ocrAddDependence(NULL_GUID, of->edt, 99, DB_MODE_NULL);
    } else if (strcmp(misuse, "taken") == 0) {
        ocrAddDependence(of->event, of->edt, 0, DB_MODE_NULL);
        ocrAddDependence(NULL_GUID, of->edt, 0, DB_MODE_NULL);
    } else if (strcmp(misuse, "kind") == 0) {
        ocrEventDestroy(of->edt);
    } else if (strcmp(misuse, "destroyed") == 0) {
        ocrEventDestroy(of->gone);
    } else if (strcmp(misuse, "unheld") == 0) {
        ocrDbRelease(of->block);
    } else if (strcmp(misuse, "data") == 0) {
        ocrEventSatisfy(of->event, of->edt);
    } else if (strcmp(misuse, "bare") == 0) {
        ocrEventSatisfy(of->bare, depv[0].guid);
    } else if (strcmp(misuse, "written") == 0) {
        of->misuse[0] = 'W';
    } else {
        ocrAssert(strcmp(misuse, "none") == 0);
    }
    MUST(ocrAddDependence(NULL_GUID, of->edt, 1, DB_MODE_NULL));
    if (strcmp(misuse, "taken") != 0) {
        MUST(ocrAddDependence(NULL_GUID, of->edt, 0, DB_MODE_NULL));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t block, edt, of, reader;
    struct objects *objects;
    ocrHint_t hint;
    MUST(ocrDbCreate(&block, (void **)&objects, sizeof *objects, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    strncpy(objects->misuse, getArgv(depv[0].ptr, 1), sizeof objects->misuse - 1);
    MUST(ocrEventCreate(&objects->event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    MUST(ocrEventCreate(&objects->gone, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    MUST(ocrEventDestroy(objects->gone));
    MUST(ocrEventCreate(&objects->bare, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    void *unused;
    MUST(ocrDbCreate(&objects->block, &unused, 8, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    of = template(never, 0, 2);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    objects->edt = edt;
    MUST(ocrDbRelease(block));
    onNode(&hint, 1);
    of = template(misuser, 0, 1);
    MUST(ocrEdtCreate(&reader, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(block, reader, 0, DB_MODE_CONST));
    return NULL_GUID;
}
