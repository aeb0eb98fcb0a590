/* An EDT waits for an object whose creator waits for an event that is never satisfied. */
// clause: hang
// status: 1
// needs: halt
// stderr: waits in ocrMapGet until the object of index 3 of the map 0x
// stderr: labelled "m", whose creator another thread runs, has been created
// stderr: the sticky event 0x
#include "check.h"
#include <extensions/ocr-debug.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-map-creator.h>

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc;
    ocrLegacyBlockProgress(guidv[0], NULL, NULL, NULL, LEGACY_PROP_NONE);
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t out;
    ocrMapGet(&out, *(ocrGuid_t *)depv[0].ptr, 3);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t *map, block = block_of(sizeof *map, (void **)&map), never = event_of(OCR_EVENT_STICKY_T);
    OK(ocrMapCreate(map, 4, creator, 0, NULL, 1, &never));
    OK(ocrAttachDebugLabel(*map, "m", 0, NULL));
    OK(ocrDbRelease(block));
    spawn(asks, 0, NULL, 1, &block);
    spawn(asks, 0, NULL, 1, &block);
    return NULL_GUID;
}
