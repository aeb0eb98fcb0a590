/*
 * Programs on several nodes with a known cause of a long run. The first argument says which; with "control" as the
 * second one all happens on node 0, and the cause is not there.
 */
#include "nodes.h"
#include <extensions/ocr-labeling.h>

static void compute(long rounds)
{
    static volatile unsigned result;
    unsigned value = result;
    for (long i = 0; i < rounds; i++) {
        value = value * 1664525u + 1013904223u;
    }
    result = value;
}

/* ---- answers: an EDT asks another node for something again and again. ---- */

static ocrGuid_t asker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t event = {.guid = (intptr_t)paramv[0]};
    for (int i = 0; i < 2000; i++) {
        ocrGuidUserKind kind = OCR_GUID_NONE;
        MUST(ocrGetGuidKind(&kind, event));
        compute(1000);
    }
    printf("right\n");
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t maker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event;
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE));
    u64 param = (u64)event.guid;
    start(asker, 0, 1, &param, 0, NULL);
    return NULL_GUID;
}

/* ---- moves: EDTs that write a block take turns on the nodes. ---- */

static ocrGuid_t mover(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    u64 *count = depv[0].ptr;
    compute(100000);
    *count += 1;
    if (*count == 60) {
        printf("right\n");
        fflush(stdout);
        ocrShutdown();
        return NULL_GUID;
    }
    u64 params[2] = {paramv[0], paramv[1] + paramv[0]};
    start(mover, params[1], 2, params, 1, &depv[0].guid);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const char *what = getArgv(depv[0].ptr, 1);
    const u64 other = getArgc(depv[0].ptr) > 2 ? 0 : 1;
    if (strcmp(what, "answers") == 0) {
        start(maker, other, 0, NULL, 0, NULL);
    } else if (strcmp(what, "between_nodes") == 0) {
        ocrGuid_t block;
        u64 *at, params[2] = {other, 0};
        MUST(ocrDbCreate(&block, (void **)&at, 8 << 20, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        memset(at, 0, 8 << 20);
        MUST(ocrDbRelease(block));
        start(mover, 0, 2, params, 1, &block);
    }
    return NULL_GUID;
}
