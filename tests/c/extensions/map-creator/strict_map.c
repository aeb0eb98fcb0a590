/* Strict mode has nothing to say about a map that is used as it should be. */
// clause: ocr-map-creator.h
// env: OCR_CHECK=leaks
// stdout-lines: 1 done: 10
#include "strict.h"
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)paramv, (void)guidc;
    if (index % 2 == 0) {
        OK(ocrEventCreate(&lid, OCR_EVENT_STICKY_T, EVT_PROP_MAPPED | EVT_PROP_TAKES_ARG));
        return;
    }
    /* An EDT after the event beside it, and a dependence of its own. */
    ocrGuid_t deps[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    OK(ocrMapGet(&deps[0], guidv[1], index - 1));
    OK(ocrEdtCreate(&lid, guidv[0], 1, &index, 2, deps, EDT_PROP_MAPPED, NULL_HINT, NULL));
    OK(ocrAddDependence(NULL_GUID, lid, 1, DB_MODE_NULL));
}

static ocrGuid_t map;

static void outer_creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    ocrGuid_t guids[] = {guidv[0], map};
    creator(lid, index, paramc, paramv, guidc + 1, guids);
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t event;
    OK(ocrMapGet(&event, map, paramv[0] - 1));
    OK(ocrEventDestroy(event));
    ocrPrintf("done: %" PRIu64 "\n", number_in(depv[0]));
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrMapDestroy(map));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t out, tmpl = TEMPLATE(last, 1, 2);
    OK(ocrMapCreate(&map, 8, outer_creator, 0, NULL, 1, &tmpl));
    OK(ocrMapGet(&out, map, 5));
    OK(ocrMapGet(&out, map, 4));
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEventSatisfy(out, block_with(10)));
    return NULL_GUID;
}
