/*
 * A hang in which EDTs wait in calls: one for an event that is never satisfied, while it holds a block
 * that another EDT waits for; one for an EDT that waits for that.
 */
// clause: hang
// status: 1
// stderr: in EDT
// stderr: (blocks), waits in ocrWait for the sticky event
// stderr: which was never satisfied (ocrEventSatisfy)
// stderr: (wants_it) waits on pre-slot 0 for the data block
// stderr: (blocks), which has not ended
// stderr: (blocks_too), waits in ocrLegacyBlockProgress for the sticky event
// stderr: the output event of the finish EDT
// needs: halt
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t holding, never, block;

static ocrGuid_t blocks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrEventSatisfy(holding, NULL_GUID));
    (void)ocrWait(never);
    CHECK(!"waited for nothing");
    return NULL_GUID;
}

static ocrGuid_t wants_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its block");
    return NULL_GUID;
}

static ocrGuid_t blocks_too(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, tmpl, slots[] = {NULL_GUID, block};
    OK(ocrEdtTemplateCreate(&tmpl, wants_it, 0, 2));
    OK(ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 2, slots, NULL_GUID));
    (void)ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE);
    CHECK(!"waited for nothing");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt;
    block = block_with(1);
    holding = event_of(OCR_EVENT_STICKY_T);
    never = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtTemplateCreate(&tmpl, blocks_too, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &holding, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtTemplateCreate(&tmpl, wants_it, 0, 2));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(holding, edt, 1, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrEdtTemplateCreate(&tmpl, blocks, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
