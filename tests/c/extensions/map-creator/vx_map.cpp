/* A matrix of EDTs by a map, as programs for OCR-Vx have it: in C++, with the values of OCR-Vx by name. */
// clause: ocr-map-creator.h
// stdout-lines: 1 9 EDTs have run
#include "check.h"
#include <extensions/ocr-map-creator.h>

#include <atomic>

struct Shared {
    ocrGuid_t map;
    ocrGuid_t work;
    u64 width;
    u64 height;
};

static std::atomic<u64> runs;

static void creator(ocrGuid_t objectLid, u64 index, u32, u64 *paramv, u32, ocrGuid_t *guidv) {
    u64 params[] = {index % paramv[0], index / paramv[0]};
    ocrGuid_t deps[] = {guidv[0], UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    if (params[0] == 0)
        deps[1] = NULL_GUID;
    if (params[1] == 0)
        deps[2] = NULL_GUID;
    ocrEdtCreate(&objectLid, guidv[1], EDT_PARAM_DEF, params, EDT_PARAM_DEF, deps, EDT_PROP_MAPPED, NULL_HINT, 0);
}

static void satisfy(const Shared *shared, u64 x, u64 y, u32 slot) {
    ocrGuid_t task;
    ocrMapGet(&task, shared->map, x + y * shared->width);
    ocrAddDependence(NULL_GUID, task, slot, DB_DEFAULT_MODE);
}

static ocrGuid_t work(u32, u64 *paramv, u32, ocrEdtDep_t depv[]) {
    const u64 x = paramv[0], y = paramv[1];
    Shared *shared = static_cast<Shared *>(depv[0].ptr);
    runs++;
    if (x == shared->width - 1 && y == shared->height - 1) {
        ocrPrintf("%d EDTs have run\n", static_cast<int>(runs.load()));
        ocrEdtTemplateDestroy(shared->work);
        ocrMapDestroy(shared->map);
        ocrDbDestroy(depv[0].guid);
        ocrShutdown();
        return NULL_GUID;
    }
    if (x < shared->width - 1)
        satisfy(shared, x + 1, y, 1);
    if (y < shared->height - 1)
        satisfy(shared, x, y + 1, 2);
    return NULL_GUID;
}

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32, ocrEdtDep_t[]) {
    ocrGuid_t block, first;
    void *address;
    ocrDbCreate(&block, &address, sizeof(Shared), 0, NULL_HINT, NO_ALLOC);
    Shared *shared = static_cast<Shared *>(address);
    shared->width = shared->height = 3;
    ocrEdtTemplateCreate(&shared->work, work, 2, 3);
    u64 params[] = {shared->width, shared->height};
    ocrGuid_t guids[] = {block, shared->work};
    ocrMapCreate(&shared->map, shared->height * shared->width, &creator, 2, params, 2, guids);
    ocrMapGet(&first, shared->map, 0);
    return NULL_GUID;
}
